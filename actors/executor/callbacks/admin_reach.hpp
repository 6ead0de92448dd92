#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <caf/actor_clock.hpp>

namespace ringmaster::actors {

/// Pauses between attempts to deliver results.
inline constexpr std::chrono::seconds report_pause_min{5};
inline constexpr std::chrono::seconds report_pause_max{30};
/// Failures beyond this number do not lengthen the pause.
inline constexpr int report_failures_max = 4;

/// Returns the pause after `failures` failures in a row, from 1 to `report_failures_max`.
[[nodiscard]] inline std::chrono::seconds report_pause(int failures) {
  return std::min<std::chrono::seconds>(report_pause_min * (1 << (failures - 1)), report_pause_max);
}

/// Whether admins accept results, and when the next attempt is due. Invariant: while no admin accepts any, one request at a time
/// is in flight, and pauses between attempts grow; requests that failed together count as one failure. Part of the state of
/// callback_actor.
class admin_reach {
public:
  using steady = caf::actor_clock::time_point;

  /// Requests in flight; only one while it is unknown whether an admin accepts any.
  static constexpr std::size_t flights_max = 16;

  /// No admin is available.
  [[nodiscard]] bool is_away() const noexcept { return away_; }
  [[nodiscard]] bool may_send(std::size_t flying, steady t) const noexcept {
    return !is_pausing(t) && (flying == 0 || (accepts_ && flying < flights_max));
  }

  /// Records the answer to a request. Returns true if admins were away until now.
  bool note_answer(bool accepted) noexcept {
    accepts_ = accepted;
    if (!accepted)
      return false;
    failures_ = 0;
    return std::exchange(away_, false);
  }
  /// Records that an attempt was abandoned; `is_failure`: because no admin accepts anything. Returns true if admins were not away
  /// until now.
  bool give_up(bool is_failure, steady t) noexcept {
    bool is_news = false;
    if (is_failure && !is_pausing(t)) {
      failures_ = std::min(failures_ + 1, report_failures_max);
      retry_at_ = t + report_pause(failures_);
      is_news = !std::exchange(away_, true);
    }
    if (std::exchange(offered_, false))
      retry_at_ = t;
    return is_news;
  }
  /// Records that there is a new way to an admin: the next attempt is due now, or when the one in flight is abandoned.
  void offer(bool is_flying, steady t) noexcept {
    retry_at_ = t;
    offered_ = is_flying;
  }

private:
  [[nodiscard]] bool is_pausing(steady t) const noexcept { return away_ && t < retry_at_; }

  bool accepts_ = false;
  bool away_ = false;
  int failures_ = 0;
  steady retry_at_{};
  bool offered_ = false;
};

} // namespace ringmaster::actors
