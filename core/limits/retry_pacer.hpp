#pragma once

// Who found no room waits for a turn: when more is to be done than lanes take, nobody is left behind, whatever its id.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/time.hpp"

namespace ringmaster::core {

/// Gives out the turns of those that found no room. So many are tried again in one round, not all of them: else thousands that
/// wait would be asked about in each round, and the room would go to whoever is first in it. Each goes behind those that wait
/// already; in its round it comes before those that are less late. Times are spans of the owner's own clock.
class retry_pacer {
public:
  /// `gap`: from one round to the next, above 1 ms; `round_max`: how many are tried in one, above 0.
  retry_pacer(milliseconds gap, std::size_t round_max) : gap_{gap}, round_max_{round_max} {}

  /// The wait from `now` on of one that is `late` by so much; whoever is late by `too_late` or more is first in its round.
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
  /// The round that fills up now, and how many more are tried in it.
  clock_span round_{0};
  std::size_t left_ = 0;
};

} // namespace ringmaster::core
