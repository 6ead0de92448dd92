#pragma once

// XXL's cron dialect (derived from Quartz). An expression is parsed once and evaluated often.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// A parsed cron expression: immutable, cheap to share, safe from any thread.
///
/// Accepts the expressions that XXL-JOB >= 3.4.0 accepts and computes the same times, except that a `W` day yields all of its
/// times (as in 2.x). Expressions that XXL accepts but fails to compute (`L` as a month, a field of only commas) never fire.
class cron_expression {
public:
  /// Parses six or seven fields. Errors: `invalid_argument` with XXL's own text for the leftmost error. `year_limit`: the last
  /// year that can fire, at most 2999; XXL takes the year of the process start + 100.
  [[nodiscard]] static result<cron_expression> parse(std::string_view text, int year_limit = 2126);

  /// Returns the first fire time strictly after the second of `after`, in `where`; a whole second. Unset if the expression never
  /// fires again. A local time that a clock change skips does not fire; an ambiguous one fires at its second occurrence.
  [[nodiscard]] std::optional<time_point> next(time_point after, const zone& where) const;

  /// Counts the fire times after the second of `after`, up to `until`, without stepping from one to the next. A day costs about
  /// 0.1 µs, however often the expression fires in it.
  [[nodiscard]] std::uint64_t count(time_point after, time_point until, const zone& where) const;

private:
  friend class cron_parser;

  /// The day field that applies, and the meaning of the weekday field.
  enum class day_rule : std::uint8_t { day_of_month, weekdays, last_weekday, nth_weekday };

  cron_expression() = default;

  /// Returns the first local time at or after `from` that the fields match, ignoring clock changes. The search ends with the last
  /// year.
  [[nodiscard]] std::optional<local_time> next_local(local_time from) const;
  [[nodiscard]] std::optional<seconds> next_in_day(seconds from) const;
  [[nodiscard]] std::optional<std::chrono::local_days> next_day(std::chrono::year_month_day from) const;
  /// Returns the matching days of one month as bits 1 to 31.
  [[nodiscard]] std::uint32_t days_in(std::chrono::year_month month) const;
  [[nodiscard]] std::uint32_t dated_days(int length, unsigned first_weekday) const;
  [[nodiscard]] std::uint32_t week_days(int length, unsigned first_weekday) const;
  [[nodiscard]] bool fires_in(int year) const;
  /// Counts the matching local times from `from` to before `end`, ignoring clock changes.
  [[nodiscard]] std::uint64_t count_local(local_time from, local_time end) const;
  /// Counts the matching times from midnight to before `end`, on a matching day.
  [[nodiscard]] std::uint64_t count_in_day(seconds end) const;

  // One bit per value; an empty field never fires.
  std::uint64_t seconds_ = 0;
  std::uint64_t minutes_ = 0;
  std::uint32_t hours_ = 0;
  /// Bits 1 to 31 of plain days. The next three, with bit n: the n-th day before the last (`L-n`), the weekday nearest to day n
  /// (`nW`), and the weekday nearest to the n-th day before the last (`L-nW`).
  std::uint32_t days_ = 0;
  std::uint32_t days_before_last_ = 0;
  std::uint32_t nearest_to_day_ = 0;
  std::uint32_t nearest_before_last_ = 0;
  std::uint16_t months_ = 0;
  /// Bit 0 is Sunday, as in C++ and unlike XXL's 1.
  std::uint8_t weekdays_ = 0;
  std::uint8_t nth_ = 0;
  day_rule rule_ = day_rule::day_of_month;
  std::int16_t year_last_ = 0;
  /// Bit 0 is 1970; empty: every year.
  std::vector<std::uint64_t> years_;
};

} // namespace ringmaster::core
