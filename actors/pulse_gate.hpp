#pragma once

#include <chrono>

#include <caf/actor_clock.hpp>

namespace ringmaster::actors {

/// Decides which periodic polls of an actor are skipped, because the last pulse of the store saw nothing that they would find
/// (ADR 42). Without pulses none is skipped; with pulses one is made at least every `skipped_max`, so that a defect costs only
/// time. Part of the state of one actor.
class pulse_gate {
public:
  using steady = caf::actor_clock::time_point;

  static constexpr std::chrono::seconds skipped_max{30};

  /// Takes a pulse. `work`: it saw something to find. `period`: interval of the pulses; one may be late by another period.
  void take(bool work, std::chrono::milliseconds period, steady now) noexcept {
    quiet_until_ = work ? steady::min() : now + 2 * period;
  }

  /// Makes the next poll happen: something that the last pulse could not see may be there.
  void reset() noexcept { quiet_until_ = steady::min(); }

  [[nodiscard]] bool is_quiet(steady now) const noexcept { return now < quiet_until_; }

  /// Returns whether the poll that is due at `now` is skipped. After false, the caller makes it.
  [[nodiscard]] bool skips(steady now) noexcept {
    if (is_quiet(now) && now < next_poll_)
      return true;
    next_poll_ = now + skipped_max;
    return false;
  }

private:
  steady quiet_until_ = steady::min();
  /// Time from which a poll is made in any case.
  steady next_poll_{};
};

} // namespace ringmaster::actors
