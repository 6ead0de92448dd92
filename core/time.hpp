#pragma once

// Time types of the schedule. Core never reads a clock: "now" is always an argument.

#include <chrono>
#include <cstdint>

namespace ringmaster::core {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Civil time in UTC, milliseconds since the epoch.
using time_point = std::chrono::sys_time<milliseconds>;

[[nodiscard]] constexpr std::int64_t to_ms(time_point t) noexcept { return t.time_since_epoch().count(); }
[[nodiscard]] constexpr time_point from_ms(std::int64_t ms) noexcept { return time_point{milliseconds{ms}}; }

/// Returns the second of `t`: cut, never rounded, so that the stored trigger time and `logDateTime` agree.
[[nodiscard]] constexpr time_point cut_to_second(time_point t) noexcept {
  return std::chrono::floor<seconds>(t);
}

/// The end of the year 9999: a later value is not a time.
inline constexpr std::int64_t latest_ms = 253'402'300'799'999;

/// Returns whether a column with milliseconds holds a time: not 0, and not beyond `latest_ms`.
[[nodiscard]] constexpr bool is_time(std::int64_t ms) noexcept { return ms > 0 && ms <= latest_ms; }

} // namespace ringmaster::core
