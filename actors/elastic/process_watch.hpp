#pragma once

#include <vector>

#include "core/elastic/stored_rows.hpp"

namespace ringmaster::actors {

/// Proof that processes of hosts have ended (elastic design §3, P1). Used by one actor; no call blocks.
class process_watch {
public:
  virtual ~process_watch() = default;

  /// Begins to watch a process. Returns false if its end cannot be proved here, for example because it runs on another machine.
  virtual bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) = 0;

  /// Stops watching.
  virtual void forget(const core::elastic::host_process& process) = 0;

  /// Returns watched processes that have ended, each once.
  [[nodiscard]] virtual std::vector<core::elastic::host_process> ended() = 0;
};

} // namespace ringmaster::actors
