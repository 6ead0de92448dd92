#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <caf/actor_clock.hpp>

#include "core/run/run.hpp"

namespace ringmaster::actors {

/// Search for claims of earlier incarnations (T6), again and again. Invariant: one adoption at a time, and no two adopted claims
/// of an incarnation get the same number. A number is used again only after an adoption without an answer: if its transaction was
/// committed, this finds what it adopted. Part of the state of recovery_actor, which asks the store.
class adoption {
public:
  using steady = caf::actor_clock::time_point;

  /// Interval of the search for orphaned claims of fenced peers.
  static constexpr std::chrono::milliseconds period{500};
  /// First number of adopted claims, far above those that a planner assigns in one incarnation.
  static constexpr std::int64_t first_sequence = std::int64_t{1} << 40;

  /// Begins again for a new incarnation; an adoption under way has no meaning any more.
  void restart() noexcept {
    busy_ = unanswered_ = false;
    sequence_ = first_sequence;
  }

  [[nodiscard]] bool is_due(steady t) const noexcept { return t >= next_; }
  /// Begins an adoption. Returns false if one is under way.
  [[nodiscard]] bool begin() noexcept { return !std::exchange(busy_, true); }
  /// Records that a node was fenced: an adoption that is under way may have begun before, so the next one follows at once.
  void note_fence() noexcept { again_ = busy_; }

  void found(const std::vector<core::adopted_run>& runs, steady t) {
    busy_ = unanswered_ = false;
    next_ = t + (std::exchange(again_, false) ? std::chrono::milliseconds{0} : period);
    for (const auto& run : runs)
      sequence_ = std::max(sequence_, run.claim + 1);
  }
  void failed(steady retry_at) noexcept {
    busy_ = again_ = false;
    unanswered_ = true;
    next_ = retry_at;
  }

  /// Returns whether the last adoption has failed, so that its outcome is unknown.
  [[nodiscard]] bool is_unanswered() const noexcept { return unanswered_; }

  /// Returns the number of the first claim that the next adoption finds.
  [[nodiscard]] std::int64_t sequence() const noexcept { return sequence_; }

private:
  std::int64_t sequence_ = first_sequence;
  bool busy_ = false;
  bool again_ = false;
  bool unanswered_ = false;
  steady next_{};
};

} // namespace ringmaster::actors
