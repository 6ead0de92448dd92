#pragma once

// Ticks of an actor at absolute points of its own clock.

#include <chrono>

#include <caf/actor_clock.hpp>

namespace ringmaster::actors {

/// Returns the next point of a fixed interval after `last`. Skips missed points, so that a late tick does not run twice.
[[nodiscard]] inline caf::actor_clock::time_point next_tick(caf::actor_clock::time_point last, std::chrono::milliseconds period,
                                                             caf::actor_clock::time_point now) {
  auto next = last + period;
  return next > now ? next : now + period;
}

} // namespace ringmaster::actors
