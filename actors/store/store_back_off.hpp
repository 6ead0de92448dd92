#pragma once

// Waits of a worker after transactions that the store could not run.

#include <chrono>
#include <string>

#include "actors/logger.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"

namespace ringmaster::actors {

/// Back-off of one worker. Invariant: from a transaction that the store could not run until one that the store answers, there is
/// a wait and a description of the failure; otherwise there is neither. The wait doubles with each failure, up to a limit. Logs
/// its begin and its end. Part of the state of storage_actor.
class store_back_off {
public:
  using steady = caf::actor_clock::time_point;

  /// Records the result of a transaction at `t`; `failure` is null after a success, `what` is a verb. Returns true if the store
  /// could not run the transaction, so that it must be repeated.
  [[nodiscard]] bool must_repeat(const core::error* failure, const char* what, steady t, const logger& log);

  /// Returns true if the next transaction may begin.
  [[nodiscard]] bool is_over(steady t) const noexcept { return t >= not_before_; }
  /// Returns the description of the last failure; empty after a success.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

private:
  std::chrono::milliseconds wait_{0};
  std::string trouble_;
  steady not_before_{};
};

} // namespace ringmaster::actors
