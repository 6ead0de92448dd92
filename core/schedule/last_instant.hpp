#pragma once

// Start of the search for a job's next time.

#include <algorithm>

#include "core/time.hpp"

namespace ringmaster::core {

/// Maximum distance of a claimed instant from the present before it indicates a wrong clock. A claim is at most 6 s ahead
/// (reservations alongside Java admins). Two nodes whose clocks are each off by the tolerated 5 s are 10 s apart.
inline constexpr milliseconds implausibly_ahead{20'000};

/// Returns true if only a wrong clock can have written `t` as a claimed instant.
[[nodiscard]] constexpr bool lies_implausibly_ahead(time_point t, time_point now,
                                                    milliseconds limit = implausibly_ahead) noexcept {
  return t > now + limit;
}

/// Returns the instant after which a start, a new schedule or a repair searches for the next time: the present or the last
/// claimed instant, whichever is later. A last instant that lies implausibly ahead is ignored.
[[nodiscard]] constexpr time_point search_from(time_point now, time_point last,
                                               milliseconds limit = implausibly_ahead) noexcept {
  return lies_implausibly_ahead(last, now, limit) ? now : std::max(now, last);
}

} // namespace ringmaster::core
