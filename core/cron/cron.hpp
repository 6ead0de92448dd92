#pragma once

// XXL's cron dialect (derived from Quartz). An expression is parsed once and evaluated often.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/cron/cron_error.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// The values of the fields, one bit per value. An empty field never fires.
struct cron_parts {
  /// The day field that applies, and the meaning of the weekday field.
  enum class day_rule : std::uint8_t { day_of_month, weekdays, last_weekday, nth_weekday };

  std::uint64_t seconds = 0;
  std::uint64_t minutes = 0;
  std::uint32_t hours = 0;
  /// Bits 1 to 31 of plain days. The next three, with bit n: the n-th day before the last (`L-n`), the weekday nearest to day n
  /// (`nW`), and the weekday nearest to the n-th day before the last (`L-nW`).
  std::uint32_t days = 0;
  std::uint32_t days_before_last = 0;
  std::uint32_t nearest_to_day = 0;
  std::uint32_t nearest_before_last = 0;
  std::uint16_t months = 0;
  /// Bit 0 is Sunday, as in C++ and unlike XXL's 1.
  std::uint8_t weekdays = 0;
  std::uint8_t nth = 0;
  day_rule rule = day_rule::day_of_month;
  /// Bit 0 is 1970; empty: every year.
  std::vector<std::uint64_t> years = {};
};

/// A parsed cron expression: immutable, cheap to share, safe from any thread.
///
/// Accepts the expressions that XXL-JOB >= 3.4.0 accepts and computes the same times, except that a `W` day yields all of its
/// times (as in 2.x). Expressions that XXL accepts but fails to compute (`L` as a month, a field of only commas) never fire.
class cron_expression {
public:
  /// Parses six or seven fields. Errors: `invalid_argument` with XXL's own text for the leftmost error. `year_limit`: the last
  /// year that can fire, at most 2999; XXL takes the year of the process start + 100.
  [[nodiscard]] static result<cron_expression> parse(std::string_view text, int year_limit = 2126);

  /// Returns the error for which `parse` refuses the text, with its place.
  [[nodiscard]] static std::optional<cron_error> find_error(std::string_view text);

  /// Returns the first fire time strictly after the second of `after`, in `where`; a whole second. Unset if the expression never
  /// fires again. A local time that a clock change skips does not fire; an ambiguous one fires at its second occurrence.
  [[nodiscard]] std::optional<time_point> next(time_point after, const zone& where) const;

  /// Counts the fire times after the second of `after`, up to `until`, without stepping from one to the next. A day costs about
  /// 0.1 µs, however often the expression fires in it.
  [[nodiscard]] std::uint64_t count(time_point after, time_point until, const zone& where) const;

  /// Returns the first clock change after `after`, up to `until`, that skips a local time of the expression.
  [[nodiscard]] std::optional<time_point> next_skipped(time_point after, time_point until, const zone& where) const;

  /// Returns the first fire time after `after`, up to `until`, whose local time clocks show twice.
  [[nodiscard]] std::optional<time_point> next_repeated(time_point after, time_point until, const zone& where) const;

  [[nodiscard]] const cron_parts& parts() const noexcept { return parts_; }

private:
  friend class cron_parser;

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

  cron_parts parts_;
  std::int16_t year_last_ = 0;
};

} // namespace ringmaster::core
