#pragma once

// The rule at the end of a time zone file: two clock changes in every later year, e.g. `EST5EDT,M3.2.0,M11.1.0`. Used only by the
// reader of zone files.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringmaster::core {

/// A day of the year and a local time on it. `time_s` may be negative or longer than a day.
struct posix_change {
  enum class form : std::uint8_t {
    /// `Jn`: day 1 … 365, 29 February is never counted.
    julian,
    /// `n`: day 0 … 365, 29 February is counted.
    zero_based,
    /// `Mm.w.d`: the w-th weekday d (0: Sunday) of month m; w = 5 is the last.
    month_week_day,
  };
  form kind = form::zero_based;
  std::int32_t day = 0;
  std::int32_t month = 0;
  std::int32_t week = 0;
  std::int32_t time_s = 7200;

  /// Returns the seconds from the epoch to this change in `year`, as if local time were UTC.
  [[nodiscard]] std::int64_t local_seconds(int year) const;
};

struct posix_zone_rule {
  /// Seconds east of UTC.
  std::int32_t standard_offset = 0;
  std::int32_t daylight_offset = 0;
  /// Unset: no daylight saving.
  std::optional<posix_change> daylight_begin;
  std::optional<posix_change> daylight_end;

  /// Parses the rule; unset if the text does not have this form.
  [[nodiscard]] static std::optional<posix_zone_rule> parse(std::string_view text);
};

} // namespace ringmaster::core
