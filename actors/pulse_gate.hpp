#pragma once

#include <chrono>

#include <caf/actor_clock.hpp>

namespace ringmaster::actors {

/// Tells an actor whether it can leave out a periodic poll, because the last pulse of the store saw nothing that the poll would
/// find. Without pulses all polls are made. Part of the state of one actor.
class pulse_gate {
public:
  using steady = caf::actor_clock::time_point;

  /// Takes a pulse. `work`: it saw something to find. `period`: interval of the pulses; one may be late by another period.
  void take(bool work, std::chrono::milliseconds period, steady now) noexcept {
    quiet_until_ = work ? steady::min() : now + 2 * period;
  }

  /// Makes the next poll happen: something that the last pulse could not see may be there.
  void reset() noexcept { quiet_until_ = steady::min(); }

  [[nodiscard]] bool is_quiet(steady now) const noexcept { return now < quiet_until_; }

private:
  steady quiet_until_ = steady::min();
};

} // namespace ringmaster::actors
