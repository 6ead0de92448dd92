#pragma once

// Retries rejected items in rotating order, so that no item starves while the lanes are full.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/time.hpp"

namespace ringmaster::core {

/// Scheduler of retries for items that found no room. It retries a limited number in each round: otherwise thousands of waiting
/// items would be tried in every round, and the room would go to the first of them. A new item goes after those that wait
/// already; within a round, the items with the greatest delay come first. Times are spans of the owner's clock.
class retry_pacer {
public:
  /// Creates the pacer. `gap`: time between two rounds, above 1 ms; `round_max`: items per round, above 0.
  retry_pacer(milliseconds gap, std::size_t round_max) : gap_{gap}, round_max_{round_max} {}

  /// Returns the wait from `now` on for an item that is `late` by this much. An item that is late by `too_late` or more comes
  /// first in its round.
  template <class Time>
  [[nodiscard]] milliseconds wait(Time now, milliseconds late, milliseconds too_late) {
    const auto t = now.time_since_epoch();
    const auto first = t + gap_;
    if (round_ < first || left_ == 0) {
      round_ = std::max<clock_span>(round_ + gap_, first);
      left_ = round_max_;
    }
    --left_;
    const auto most = std::max(too_late, milliseconds{1});
    const auto in_time = most - std::clamp(late, milliseconds{0}, most);
    return std::chrono::ceil<milliseconds>(round_ - t) + (gap_ - milliseconds{1}) * in_time.count() / most.count();
  }

private:
  using clock_span = std::chrono::nanoseconds;

  milliseconds gap_;
  std::size_t round_max_;
  /// Round that is being filled, and the places left in it.
  clock_span round_{0};
  std::size_t left_ = 0;
};

} // namespace ringmaster::core
