#include "core/cron/cron.hpp"

#include <algorithm>
#include <bit>

namespace ringmaster::core {

namespace {

using namespace std::chrono;

constexpr int first_year = 1970;

/// Returns the lowest set bit at or above `from`; unset if there is none.
template <class Bits>
std::optional<int> bit_from(Bits bits, int from) {
  if (from >= static_cast<int>(sizeof(Bits) * 8))
    return std::nullopt;
  const auto rest = static_cast<Bits>(bits >> from);
  return rest == 0 ? std::nullopt : std::optional{from + std::countr_zero(rest)};
}

std::uint32_t bit(int index) { return std::uint32_t{1} << index; }

/// Returns bits 1 to `length`.
std::uint32_t month_mask(int length) { return static_cast<std::uint32_t>((std::uint64_t{2} << length) - 2); }

/// Returns the Monday-to-Friday day nearest to `day` within the month. `first_weekday` is the weekday of day 1 (0: Sunday).
int nearest_weekday(int day, int length, unsigned first_weekday) {
  switch ((first_weekday + static_cast<unsigned>(day) - 1) % 7) {
  case 6: return day == 1 ? day + 2 : day - 1;
  case 0: return day == length ? day - 2 : day + 1;
  default: return day;
  }
}

// No expression fires outside of these years, and calendar arithmetic would overflow.
constexpr time_point fire_begin = sys_days{year{first_year} / January / 1} - days{2};
constexpr time_point fire_end = sys_days{year{3000} / January / 1};

template <class Bits>
std::uint64_t bits_of(Bits bits) {
  return static_cast<std::uint64_t>(std::popcount(bits));
}

/// Returns the instant of `t`, or of the end of its gap if clocks skip it.
time_point instant_of(local_time t, const zone& where) {
  return where.to_instant(where.end_of_gap(t)).value_or(time_point::max());
}

/// Returns the last local time from `low` to before `high` for which `holds` is true. It must be true at `low` and up to one
/// time.
template <class Holds>
local_time last_that(local_time low, local_time high, Holds holds) {
  while (high - low > seconds{1}) {
    const auto middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

/// Returns the last local time that fires at or before `t`. While clocks that were set back show an hour for the first time, that
/// is the time before this hour.
local_time last_local(time_point t, const zone& where) {
  const auto shown = where.to_local(t);
  const auto fires = [&](local_time at) { return instant_of(at, where) <= t; };
  return fires(shown) ? shown : last_that(shown - days{2}, shown, fires);
}

/// Returns the local times of the day from `begin` that clocks skip: from `first` to before `second`.
std::pair<local_time, local_time> gap_in(local_days begin, const zone& where) {
  const local_time day{begin};
  const auto start = instant_of(day, where);
  if (instant_of(day + days{1}, where) - start >= days{1})
    return {day, day};
  const auto gap =
    last_that(day, day + days{1}, [&](local_time at) { return instant_of(at, where) - start >= at - day; });
  return {gap, std::min(where.end_of_gap(gap), day + days{1})};
}

/// Returns the local times that clocks show twice and that begin on the day from `begin`: from `first` to before `second`.
std::pair<local_time, local_time> overlap_in(local_days begin, const zone& where) {
  const local_time day{begin};
  const auto start = instant_of(day, where);
  const auto longer = duration_cast<seconds>(instant_of(day + days{1}, where) - start - days{1});
  if (longer <= seconds{0})
    return {day, day};
  // The instant of such a time is its second one.
  const auto once = last_that(day, day + days{1}, [&](local_time at) { return instant_of(at, where) - start <= at - day; });
  return {once + seconds{1}, once + seconds{1} + longer};
}

} // namespace

std::optional<time_point> cron_expression::next(time_point after, const zone& where) const {
  if (after >= fire_end)
    return std::nullopt;
  auto from = where.to_local(std::max(after, fire_begin) + seconds{1});
  while (const auto found = next_local(from)) {
    if (const auto instant = where.to_instant(*found))
      return instant;
    from = where.end_of_gap(*found);
  }
  return std::nullopt;
}

std::uint64_t cron_expression::count(time_point after, time_point until, const zone& where) const {
  after = std::max(after, fire_begin);
  until = std::min(until, fire_end);
  if (after >= until)
    return 0;
  const auto from = last_local(after, where) + seconds{1}, end = last_local(until, where) + seconds{1};
  if (from >= end)
    return 0;
  auto found = count_local(from, end);
  for (auto day = floor<days>(from); day < end; day += days{1}) {
    auto [first, second] = gap_in(day, where);
    first = std::max(first, from);
    second = std::min(second, end);
    if (first < second)
      found -= count_local(first, second);
  }
  return found;
}

std::optional<time_point> cron_expression::next_skipped(time_point after, time_point until, const zone& where) const {
  after = std::max(after, fire_begin);
  until = std::min(until, fire_end);
  for (auto day = floor<days>(where.to_local(after)); after < until && day <= where.to_local(until); day += days{1}) {
    const auto [first, second] = gap_in(day, where);
    if (first == second || count_local(first, second) == 0)
      continue;
    if (const auto change = instant_of(first, where); change > after && change <= until)
      return change;
  }
  return std::nullopt;
}

std::optional<time_point> cron_expression::next_repeated(time_point after, time_point until, const zone& where) const {
  after = std::max(after, fire_begin);
  until = std::min(until, fire_end);
  for (auto day = floor<days>(where.to_local(after)); after < until && day <= where.to_local(until); day += days{1}) {
    const auto [first, second] = overlap_in(day, where);
    for (auto at = first < second ? next_local(first) : std::nullopt; at && *at < second; at = next_local(*at + seconds{1}))
      if (const auto instant = instant_of(*at, where); instant > after && instant <= until)
        return instant;
  }
  return std::nullopt;
}

std::uint64_t cron_expression::count_local(local_time from, local_time end) const {
  std::uint64_t found = 0;
  for (auto day = floor<days>(from); day < end;) {
    const year_month_day date{day};
    const auto month = date.year() / date.month();
    const auto next_month = local_days{(month + months{1}) / 1};
    const bool fires = fires_in(static_cast<int>(date.year())) && (parts_.months >> static_cast<unsigned>(date.month()) & 1) != 0;
    const auto matching = fires ? days_in(month) : 0;
    for (; day < next_month && day < end; day += days{1}) {
      if ((matching >> static_cast<unsigned>(year_month_day{day}.day()) & 1) == 0)
        continue;
      const auto until = std::min<seconds>(end - day, days{1});
      found += count_in_day(until) - (from > day ? count_in_day(from - day) : 0);
    }
  }
  return found;
}

std::uint64_t cron_expression::count_in_day(seconds end) const {
  const auto hour = static_cast<int>(end.count() / 3600), minute = static_cast<int>(end.count() / 60 % 60);
  const auto second = static_cast<int>(end.count() % 60);
  const auto below = [](std::uint64_t bits, int index) { return bits_of(bits & ((std::uint64_t{1} << index) - 1)); };
  const auto a_minute = bits_of(parts_.seconds), an_hour = bits_of(parts_.minutes) * a_minute;
  auto found = below(parts_.hours, hour) * an_hour;
  if (hour >= 24 || (parts_.hours >> hour & 1) == 0)
    return found;
  found += below(parts_.minutes, minute) * a_minute;
  if ((parts_.minutes >> minute & 1) != 0)
    found += below(parts_.seconds, second);
  return found;
}

std::optional<local_time> cron_expression::next_local(local_time from) const {
  if (parts_.seconds == 0 || parts_.minutes == 0 || parts_.hours == 0)
    return std::nullopt;
  const auto day = floor<days>(from);
  const year_month_day date{day};
  if (fires_in(static_cast<int>(date.year())) && (parts_.months >> static_cast<unsigned>(date.month()) & 1) != 0
      && (days_in(date.year() / date.month()) >> static_cast<unsigned>(date.day()) & 1) != 0)
    if (const auto time = next_in_day(from - day))
      return day + *time;
  if (day >= local_days{year{year_last_} / December / 31})
    return std::nullopt;
  const auto found = next_day(year_month_day{day + days{1}});
  if (!found)
    return std::nullopt;
  return *found + hours{std::countr_zero(parts_.hours)} + minutes{std::countr_zero(parts_.minutes)} +
         seconds{std::countr_zero(parts_.seconds)};
}

std::optional<seconds> cron_expression::next_in_day(seconds from) const {
  auto hour = static_cast<int>(from.count() / 3600), minute = static_cast<int>(from.count() / 60 % 60);
  auto second = bit_from(parts_.seconds, static_cast<int>(from.count() % 60));
  if (!second) {
    second = std::countr_zero(parts_.seconds);
    ++minute;
  }
  const bool hour_fires = (parts_.hours >> hour & 1) != 0;
  if (const auto same_hour = hour_fires ? bit_from(parts_.minutes, minute) : std::nullopt) {
    if (*same_hour != minute)
      second = std::countr_zero(parts_.seconds);
    return hours{hour} + minutes{*same_hour} + seconds{*second};
  }
  const auto later = bit_from(parts_.hours, hour + 1);
  if (!later)
    return std::nullopt;
  return hours{*later} + minutes{std::countr_zero(parts_.minutes)} + seconds{std::countr_zero(parts_.seconds)};
}

std::optional<local_days> cron_expression::next_day(year_month_day from) const {
  if (from.year() < year{first_year})
    from = year{first_year} / January / 1;
  auto month_from = static_cast<int>(static_cast<unsigned>(from.month()));
  auto days_from = ~std::uint32_t{0} << static_cast<unsigned>(from.day());
  for (auto y = static_cast<int>(from.year()); y <= year_last_; ++y) {
    for (auto m = fires_in(y) ? bit_from(parts_.months, month_from) : std::nullopt; m; m = bit_from(parts_.months, *m + 1)) {
      const auto fire_month = year{y} / *m;
      if (*m != month_from)
        days_from = ~std::uint32_t{0};
      if (const auto found = days_in(fire_month) & days_from)
        return local_days{fire_month / std::countr_zero(found)};
    }
    month_from = 1;
    days_from = ~std::uint32_t{0};
  }
  return std::nullopt;
}

std::uint32_t cron_expression::days_in(year_month month) const {
  const auto length = static_cast<int>(static_cast<unsigned>((month / last).day()));
  // Most expressions use plain days and need no weekday.
  const bool by_date = parts_.rule == cron_parts::day_rule::day_of_month;
  if (by_date && (parts_.nearest_to_day | parts_.nearest_before_last | parts_.days_before_last) == 0)
    return parts_.days & month_mask(length);
  const auto first_weekday = weekday{sys_days{month / 1}}.c_encoding();
  return by_date ? dated_days(length, first_weekday) : week_days(length, first_weekday);
}

std::uint32_t cron_expression::dated_days(int length, unsigned first_weekday) const {
  auto found = parts_.days & month_mask(length);
  for (auto n = bit_from(parts_.days_before_last, 0); n && *n < length; n = bit_from(parts_.days_before_last, *n + 1))
    found |= bit(length - *n);
  for (auto n = bit_from(parts_.nearest_before_last, 0); n && *n < length; n = bit_from(parts_.nearest_before_last, *n + 1))
    found |= bit(nearest_weekday(length - *n, length, first_weekday));
  // Bit 0 would be `0W`, which XXL accepts and which never fires.
  for (auto n = bit_from(parts_.nearest_to_day, 1); n && *n <= length; n = bit_from(parts_.nearest_to_day, *n + 1))
    found |= bit(nearest_weekday(*n, length, first_weekday));
  return found;
}

std::uint32_t cron_expression::week_days(int length, unsigned first_weekday) const {
  // Bit i: the weekday of day 1 + i matches; repeated five times for five weeks.
  const auto week = static_cast<std::uint64_t>((parts_.weekdays | parts_.weekdays << 7) >> first_weekday & 0x7F);
  const auto all = static_cast<std::uint32_t>((week | week << 7 | week << 14 | week << 21 | week << 28) << 1)
                   & month_mask(length);
  switch (parts_.rule) {
  case cron_parts::day_rule::last_weekday: return all == 0 ? 0 : std::bit_floor(all);
  case cron_parts::day_rule::nth_weekday: return all & (std::uint32_t{0x7F} << (7 * (parts_.nth - 1) + 1));
  default: return all;
  }
}

bool cron_expression::fires_in(int y) const {
  if (y < first_year || y > year_last_)
    return false;
  const auto index = static_cast<std::size_t>(y - first_year);
  return parts_.years.empty() || (index / 64 < parts_.years.size() && (parts_.years[index / 64] >> (index % 64) & 1) != 0);
}

} // namespace ringmaster::core
