#pragma once

#include <algorithm>
#include <chrono>

#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Clock that counts at most `step_max` of the steady time between two calls of `look`. Ages measured by it do not grow while
/// their observer sleeps or is cut off, and no change of the civil clock affects it. Pure state of one actor.
class observed_clock {
public:
  using steady = protocol::wall_clock::steady;
  using duration = steady::duration;

  observed_clock(duration step_max, steady start) : step_max_{step_max}, looked_{start} {}

  void look(steady now) {
    total_ += std::clamp(now - looked_, duration::zero(), step_max_);
    looked_ = std::max(looked_, now);
  }
  /// Returns the time since the start, as of the last look.
  [[nodiscard]] duration total() const noexcept { return total_; }

private:
  duration step_max_;
  steady looked_;
  duration total_{0};
};

} // namespace ringmaster::actors
