#pragma once

#include <algorithm>
#include <chrono>

#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// A clock that stands still while nobody looks at it: of the steady time between two looks at most `step_max` counts. What is
/// aged by it does not grow old because its observer slept or was cut off, and no civil clock moves it. Pure state of one actor.
class observed_clock {
public:
  using steady = protocol::wall_clock::steady;
  using duration = steady::duration;

  observed_clock(duration step_max, steady start) : step_max_{step_max}, looked_{start} {}

  void look(steady now) {
    total_ += std::clamp(now - looked_, duration::zero(), step_max_);
    looked_ = std::max(looked_, now);
  }
  /// Since the start, as of the last look.
  [[nodiscard]] duration total() const noexcept { return total_; }

private:
  duration step_max_;
  steady looked_;
  duration total_{0};
};

} // namespace ringmaster::actors
