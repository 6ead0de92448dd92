#include "core/zone/posix_zone_rule.hpp"

#include <chrono>

namespace ringmaster::core {

namespace {

using namespace std::chrono;

/// Reader of a rule from left to right; after the first invalid part every later one fails.
class rule_reader {
public:
  explicit rule_reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted))
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Reads `EST` or `<+0330>`; the name itself is not used.
  bool name() {
    const bool quoted = take('<');
    std::size_t size = 0;
    while (size < rest_.size() && (quoted ? rest_[size] != '>' : is_letter(rest_[size])))
      ++size;
    rest_.remove_prefix(size);
    return size > 0 && (!quoted || take('>'));
  }

  /// Reads at most three digits; negative if there are none.
  std::int32_t number() {
    std::int32_t value = 0;
    std::size_t size = 0;
    for (; size < rest_.size() && size < 3 && rest_[size] >= '0' && rest_[size] <= '9'; ++size)
      value = value * 10 + (rest_[size] - '0');
    rest_.remove_prefix(size);
    return size > 0 ? value : -1;
  }

  /// Reads `[+-]h[:m[:s]]` in seconds.
  std::optional<std::int32_t> time() {
    const bool negative = take('-');
    if (!negative)
      take('+');
    const auto hours = number();
    const auto minutes = take(':') ? number() : 0;
    const auto seconds = take(':') ? number() : 0;
    if (hours < 0 || minutes < 0 || seconds < 0)
      return std::nullopt;
    const auto total = hours * 3600 + minutes * 60 + seconds;
    return negative ? -total : total;
  }

  std::optional<posix_change> change() {
    posix_change change;
    if (!(take('M') ? month_week_day(change) : day_of_year(change)))
      return std::nullopt;
    if (take('/')) {
      const auto time_s = time();
      if (!time_s)
        return std::nullopt;
      change.time_s = *time_s;
    }
    return change;
  }

private:
  static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  bool month_week_day(posix_change& change) {
    const auto month = number();
    const auto week = take('.') ? number() : -1;
    const auto day = take('.') ? number() : -1;
    if (month < 1 || month > 12 || week < 1 || week > 5 || day < 0 || day > 6)
      return false;
    change = {posix_change::form::month_week_day, day, month, week};
    return true;
  }

  bool day_of_year(posix_change& change) {
    change.kind = take('J') ? posix_change::form::julian : posix_change::form::zero_based;
    change.day = number();
    return change.day <= 365 && change.day >= (change.kind == posix_change::form::julian ? 1 : 0);
  }

  std::string_view rest_;
};

sys_days nth_weekday(int y, std::int32_t m, std::int32_t week, std::int32_t day) {
  const auto month_of_year = year{y} / static_cast<int>(m);
  const weekday wanted{static_cast<unsigned>(day)};
  if (week == 5)
    return sys_days{month_of_year / wanted[last]};
  return sys_days{month_of_year / wanted[static_cast<unsigned>(week)]};
}

} // namespace

std::int64_t posix_change::local_seconds(int y) const {
  const sys_days january_first{year{y} / January / 1};
  sys_days date = january_first + days{day};
  if (kind == form::month_week_day)
    date = nth_weekday(y, month, week, day);
  else if (kind == form::julian)
    date = january_first + days{day - 1 + (year{y}.is_leap() && day > 59 ? 1 : 0)};
  return sys_seconds{date}.time_since_epoch().count() + time_s;
}

std::optional<posix_zone_rule> posix_zone_rule::parse(std::string_view text) {
  rule_reader reader{text};
  posix_zone_rule rule;
  const auto west = reader.name() ? reader.time() : std::nullopt;
  if (!west)
    return std::nullopt;
  rule.standard_offset = rule.daylight_offset = -*west;
  if (reader.at_end())
    return rule;
  if (!reader.name())
    return std::nullopt;
  rule.daylight_offset += 3600;
  if (!reader.take(',')) {
    const auto daylight_west = reader.time();
    if (!daylight_west || !reader.take(','))
      return std::nullopt;
    rule.daylight_offset = -*daylight_west;
  }
  rule.daylight_begin = reader.change();
  rule.daylight_end = reader.take(',') ? reader.change() : std::nullopt;
  if (!rule.daylight_begin || !rule.daylight_end || !reader.at_end())
    return std::nullopt;
  return rule;
}

} // namespace ringmaster::core
