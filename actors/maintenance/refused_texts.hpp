#pragma once

// Texts of logs that the store refused.

#include <algorithm>
#include <chrono>

#include <caf/actor_clock.hpp>

#include "actors/maintenance/log_keeper_times.hpp"
#include "actors/maintenance/remembered_runs.hpp"
#include "core/ids.hpp"

namespace ringmaster::actors {

/// Runs whose texts the store refused, and the delay after that. Invariant: the delay doubles with each refusal, up to a limit,
/// until the store takes a text. Part of the state of log_keeper.
class refused_texts {
public:
  using steady = caf::actor_clock::time_point;

  /// Records a refusal. Returns true if only this text seems to be the cause: the store refused it before, and took the text of
  /// another run since the last refusal.
  [[nodiscard]] bool refuse(core::log_id run, steady t) {
    const bool alone = failures_ == 0; // the store took another text since it refused one
    until_ = t + std::min(retry_max, keeper_retry * (1 << std::min(failures_++, 6)));
    const bool again = runs_.add(run);
    return again && alone;
  }
  /// Records that the store took a text.
  void take() noexcept { failures_ = 0; }
  /// Records another failure of the store.
  void delay(steady t) { until_ = t + keeper_retry; }

  /// Returns true if no text is to be fetched for the store now.
  [[nodiscard]] bool is_waiting(steady t) const noexcept { return t < until_; }

  void forget(core::log_id run) { runs_.forget(run); }
  /// Forgets all runs. A delay goes on: the store is the same.
  void clear() {
    runs_.clear();
    failures_ = 0;
  }

private:
  static constexpr std::chrono::milliseconds retry_max{300'000};

  remembered_runs runs_;
  /// Refusals since the store took a text.
  int failures_ = 0;
  steady until_{};
};

} // namespace ringmaster::actors
