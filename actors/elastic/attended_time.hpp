#pragma once

#include <algorithm>
#include <chrono>

namespace ringmaster::actors {

/// Silence of others, without the pauses of the observer itself: while it is stopped it hears nobody, and whoever spoke meanwhile
/// must not count as silent. Pure state of one actor, which attends regularly.
class attended_time {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// A longer interval between two moments of attention is a pause. All start anew after it.
  static constexpr std::chrono::milliseconds pause{200};

  /// Begins to observe: nobody was silent before.
  void begin(steady now) noexcept { attended_ = anew_ = now; }

  /// Records a moment of attention. Returns true after a pause.
  bool attend(steady now) noexcept {
    const bool was_away = now - attended_ > pause;
    attended_ = now;
    if (was_away)
      anew_ = now;
    return was_away;
  }

  /// Returns how long nothing was heard of someone who last spoke at `heard`.
  [[nodiscard]] steady::duration silence(steady heard, steady now) const noexcept { return now - std::max(heard, anew_); }

private:
  steady attended_{};
  /// End of the last pause.
  steady anew_{};
};

} // namespace ringmaster::actors
