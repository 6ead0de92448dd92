#pragma once

#include <cstdint>
#include <vector>

#include "core/elastic/stored_rows.hpp"

namespace ringmaster::actors {

/// Proof that processes of hosts have ended (elastic design §3, P1). Used by one actor; no call blocks.
class process_watch {
public:
  virtual ~process_watch() = default;

  /// Begins to watch a process. Returns false if its end cannot be proved here, for example because it runs on another machine.
  virtual bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) = 0;

  // Programs that item runs of a process have started. A watch without them proves the end of none.

  /// Begins to watch the supervisor of a program of an item run, which ends after the program. No effect if the process of the
  /// host is not watched.
  virtual void watch_program(const core::elastic::host_process&, core::elastic::item_run_id, std::int64_t /*pid*/) {}

  /// Stops watching the program of a run that has ended.
  virtual void forget_program(const core::elastic::host_process&, core::elastic::item_run_id) {}

  /// Returns whether it is proved that the process and all programs of it that were reported have ended; also after `forget`.
  [[nodiscard]] virtual bool programs_ended(const core::elastic::host_process&) { return false; }

  /// Returns whether programs of the process are still watched.
  [[nodiscard]] virtual bool has_programs(const core::elastic::host_process&) const { return false; }

  /// Stops watching the programs of a process.
  virtual void forget_programs(const core::elastic::host_process&) {}

  /// Stops watching the process, not its programs.
  virtual void forget(const core::elastic::host_process& process) = 0;

  /// Returns watched processes that have ended, each once.
  [[nodiscard]] virtual std::vector<core::elastic::host_process> ended() = 0;
};

} // namespace ringmaster::actors
