#pragma once

// Interface through which an actor has the checks of `ringmaster doctor` made. No CAF; only apps knows the checks.

#include <functional>
#include <vector>

#include "core/maintenance/finding.hpp"

namespace ringmaster::protocol {

/// Makes all checks of the doctor on a thread of its own. Any thread may call it.
class examiner {
public:
  /// Takes findings when a check has ended; `done`: all have ended. Returns whether the remaining checks are still wanted. Called
  /// on the examiner's thread, which it must not block.
  using taker = std::function<bool(std::vector<core::finding>&& found, bool done)>;

  virtual ~examiner() = default;

  /// Starts the checks without blocking. Returns false when those of an earlier call have not ended: then nothing is started.
  virtual bool start(taker take) = 0;
};

} // namespace ringmaster::protocol
