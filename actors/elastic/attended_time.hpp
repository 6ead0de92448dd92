#pragma once

#include <algorithm>
#include <chrono>

namespace ringmaster::actors {

/// Silence of peers, without the pauses of the observer itself: while it is stopped it hears none of them, and peers that spoke
/// meanwhile must not count as silent. Pure state of one actor, which attends regularly.
class attended_time {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// A longer interval between two moments of attention is a pause. All silences begin again after it.
  static constexpr std::chrono::milliseconds pause{200};

  /// Begins to observe: all silences begin now.
  void begin(steady now) noexcept { attended_ = since_ = now; }

  /// Records a moment of attention. Returns true after a pause.
  bool attend(steady now) noexcept {
    const bool was_away = now - attended_ > pause;
    attended_ = now;
    if (was_away)
      since_ = now;
    return was_away;
  }

  /// Returns the time of silence of a peer that last spoke at `heard`.
  [[nodiscard]] steady::duration silence(steady heard, steady now) const noexcept { return now - std::max(heard, since_); }

private:
  steady attended_{};
  /// Begin of all silences: the end of the last pause.
  steady since_{};
};

} // namespace ringmaster::actors
