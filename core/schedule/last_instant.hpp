#pragma once

// Where the search for a next time begins.

#include <algorithm>

#include "core/time.hpp"

namespace ringmaster::core {

/// How far ahead of the present a claimed instant may lie before it counts as the mark of a wrong clock. A claim lies 6 s ahead
/// at most (reservations beside Java admins), and two nodes whose clocks are each off by what a node tolerates (5 s) are 10 s
/// apart.
inline constexpr milliseconds implausibly_ahead{20'000};

/// Whether only a wrong clock can have written `t` as a claimed instant.
[[nodiscard]] constexpr bool lies_implausibly_ahead(time_point t, time_point now,
                                                    milliseconds limit = implausibly_ahead) noexcept {
  return t > now + limit;
}

/// Returns the instant behind which a start, a new schedule or a repair looks for the next time: the present or the last claimed
/// instant, whichever is later. A last instant that lies implausibly ahead is not believed.
[[nodiscard]] constexpr time_point search_from(time_point now, time_point last,
                                               milliseconds limit = implausibly_ahead) noexcept {
  return lies_implausibly_ahead(last, now, limit) ? now : std::max(now, last);
}

} // namespace ringmaster::core
