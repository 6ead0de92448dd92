// The grammar of XXL's cron dialect with its leniencies, which stored jobs rely on (XXL admin §4).

#include <algorithm>
#include <string>
#include <utility>

#include "core/cron/cron.hpp"
#include "core/cron/cron_field.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

using complaint = cron_complaint;
using field_kind = cron_field_kind;

constexpr std::size_t field_count_max = 7;
constexpr std::size_t field_count_min = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'A' && c <= 'Z'; }

/// Returns XXL's error for text that its parser does not expect.
complaint not_a_number(std::string_view text) {
  return cron_fault{cron_mistake::not_a_number, "Illegal cron expression format (not a number: '" + std::string{text} + "')",
                    text};
}

complaint not_valid_here(char option, std::size_t pos) {
  return cron_fault{cron_mistake::not_here,
                    std::string{"'"} + option + "' option is not valid here. (pos=" + std::to_string(pos) + ")"};
}

/// Returns the whole character at `pos`.
std::string_view character_at(std::string_view text, std::size_t pos) {
  const auto rest = text.substr(pos);
  const auto one = cut_utf16(rest, 1);
  return one.empty() ? cut_utf16(rest, 2) : one;
}

complaint unexpected_at(std::string before, std::string_view character, std::string_view after = {}) {
  return cron_fault{cron_mistake::unexpected_character, std::move(before.append(character).append(after)), character};
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (auto begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return parts;
}

/// Returns true for `L`, `LW`, `L-n` or `L-nW` without trailing text.
bool is_last_form(std::string_view item) {
  if (item == "L" || item == "LW")
    return true;
  const auto rest = item.find_first_not_of("0123456789", 2);
  return item.starts_with("L-") && (rest == std::string_view::npos || item.substr(rest) == "W");
}

/// Reads the digits from `pos` on and moves `pos` after them. Returns an error if there are none, or if the number has more than
/// 32 bits.
complaint read_digits(std::string_view item, std::size_t& pos, std::int32_t& value) {
  const auto digits = item.substr(pos, std::min(item.find_first_not_of("0123456789", pos), item.size()) - pos);
  const auto number = parse_int32(digits);
  if (!number)
    return not_a_number(digits.empty() ? item.substr(pos) : digits);
  pos += digits.size();
  value = *number;
  return {};
}

std::string upper_case(std::string_view text) {
  auto upper = valid_utf8(text);
  for (char& c : upper)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

} // namespace

/// A parser of one expression; used once.
class cron_parser {
public:
  explicit cron_parser(int year_limit) {
    parsed_.year_last_ = static_cast<std::int16_t>(std::clamp(year_limit, cron_year_first, cron_year_max));
  }

  result<cron_expression> parse(std::string_view text) {
    const auto upper = upper_case(text);
    if (auto wrong = read(upper, split(upper, " \t")))
      return fail(errc::invalid_argument, std::move(wrong->detail));
    return std::move(parsed_);
  }

  std::optional<cron_error> find_error(std::string_view text) {
    const auto upper = upper_case(text);
    auto wrong = read(upper, split(upper, " \t"));
    if (!wrong)
      return std::nullopt;
    const auto begin = wrong->at.empty() ? upper.size() : static_cast<std::size_t>(wrong->at.data() - upper.data());
    return cron_error{wrong->code, std::move(wrong->detail), utf16_units(std::string_view{upper}.substr(0, begin)),
                      utf16_units(wrong->at)};
  }

private:
  complaint read(std::string_view text, const std::vector<std::string_view>& fields);
  complaint read_field(cron_field field, std::string_view text);
  void keep(cron_field& field);
  void keep_weekdays(const cron_field& field);

  // Reads one item of a field's list, from its first character on.
  complaint read_item(cron_field& field, std::string_view item);
  complaint read_none(cron_field& field, std::string_view item);
  complaint read_all(cron_field& field, std::string_view item);
  complaint read_last(cron_field& field, std::string_view item);
  complaint read_name(cron_field& field, std::string_view item);
  complaint read_number(cron_field& field, std::string_view item);
  // Reads the text after a number, from `pos` on.
  complaint read_last_weekday(cron_field& field, std::size_t pos, std::int32_t weekday);
  complaint read_nearest_weekday(cron_field& field, std::size_t pos, std::int32_t day);
  complaint read_nth(cron_field& field, std::string_view item, std::size_t pos, std::int32_t weekday);
  complaint read_range(cron_field& field, std::string_view item, std::size_t pos, std::int32_t start);
  complaint read_step(cron_field& field, std::string_view item, std::size_t pos, std::int32_t start);

  cron_expression parsed_;
  bool day_none_ = false;
  bool day_every_ = false;
  bool weekday_none_ = false;
};

complaint cron_parser::read(std::string_view text, const std::vector<std::string_view>& fields) {
  if (fields.size() > field_count_max)
    return cron_fault{cron_mistake::too_many_fields, "Invalid expression has too many terms: " + std::string{text},
                      fields[field_count_max]};
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (auto wrong = read_field({static_cast<field_kind>(i), parsed_.year_last_}, fields[i]))
      return wrong;
  if (fields.size() < field_count_min)
    return cron_fault{cron_mistake::too_few_fields, "Unexpected end of expression."};
  if (day_none_ == weekday_none_)
    return cron_fault{cron_mistake::days_conflict,
                      "Support for specifying both a day-of-week AND a day-of-month parameter is not implemented.",
                      fields[static_cast<std::size_t>(field_kind::day_of_week)]};
  return {};
}

complaint cron_parser::read_field(cron_field field, std::string_view text) {
  if (field.is(field_kind::day_of_week)) {
    if (text.find('L') != std::string_view::npos && text.find(',') != std::string_view::npos)
      return cron_fault{cron_mistake::unsupported, "Support for specifying 'L' with other days of the week is not implemented",
                        text};
    if (std::count(text.begin(), text.end(), '#') > 1)
      return cron_fault{cron_mistake::unsupported, "Support for specifying multiple \"nth\" days is not implemented.", text};
  }
  for (auto item : split(text, ","))
    if (auto wrong = read_item(field, item)) {
      if (wrong->at.empty())
        wrong->at = item;
      return wrong;
    }
  keep(field);
  return {};
}

void cron_parser::keep(cron_field& field) {
  switch (field.kind()) {
  case field_kind::second: parsed_.parts_.seconds = field.bits(); break;
  case field_kind::minute: parsed_.parts_.minutes = field.bits(); break;
  case field_kind::hour: parsed_.parts_.hours = static_cast<std::uint32_t>(field.bits()); break;
  case field_kind::day_of_month:
    parsed_.parts_.days = static_cast<std::uint32_t>(field.bits());
    day_none_ = field.none();
    day_every_ = field.every();
    break;
  case field_kind::month: parsed_.parts_.months = static_cast<std::uint16_t>(field.bits()); break;
  case field_kind::day_of_week:
    weekday_none_ = field.none();
    keep_weekdays(field);
    break;
  case field_kind::year:
    if (!field.every())
      parsed_.parts_.years = field.take_years();
    break;
  }
}

void cron_parser::keep_weekdays(const cron_field& field) {
  using enum cron_parts::day_rule;
  auto days = field.bits();
  if (field.none())
    parsed_.parts_.rule = day_of_month;
  else if (parsed_.parts_.rule == day_of_month)
    parsed_.parts_.rule = weekdays;
  else if (const auto lowest = field.lowest(); lowest > field.limits().high)
    days = 0;
  else
    // XXL uses only the smallest number of a list, and 0 means Saturday.
    days = std::uint64_t{1} << (lowest == 0 ? field.limits().high : lowest);
  // XXL counts from Sunday = 1.
  parsed_.parts_.weekdays = static_cast<std::uint8_t>(days >> 1);
}

complaint cron_parser::read_item(cron_field& field, std::string_view item) {
  const char first = item.front();
  if (is_last_form(item))
    return read_last(field, item);
  if (is_letter(first))
    return read_name(field, item);
  if (first == '?')
    return read_none(field, item);
  if (first == '*' || first == '/')
    return read_all(field, item);
  if (is_digit(first))
    return read_number(field, item);
  return unexpected_at("Unexpected character: ", character_at(item, 0));
}

complaint cron_parser::read_none(cron_field& field, std::string_view item) {
  if (item.size() > 2)
    return unexpected_at("Illegal character after '?': ", character_at(item, 1));
  if (!field.is_day())
    return cron_fault{cron_mistake::not_here, "'?' can only be specified for Day-of-Month or Day-of-Week."};
  if (field.is(field_kind::day_of_week) && day_none_ && !day_every_)
    return cron_fault{cron_mistake::days_conflict, "'?' can only be specified for Day-of-Month -OR- Day-of-Week."};
  field.add_none();
  return {};
}

complaint cron_parser::read_all(cron_field& field, std::string_view item) {
  if (item == "/")
    return cron_fault{cron_mistake::incomplete, "'/' must be followed by an integer."};
  const auto slash = item.front() == '/' ? std::size_t{0} : std::size_t{1};
  // Any other text after a `*` is ignored.
  if (slash >= item.size() || item[slash] != '/')
    return field.add_range(cron_every_value, {}, 1);
  const auto digits = item.substr(slash + 1);
  if (digits.empty())
    return cron_fault{cron_mistake::incomplete, "Unexpected end of string."};
  const auto step = parse_int32(digits);
  if (!step)
    return not_a_number(digits);
  if (auto wrong = field.check_step(*step))
    return wrong;
  return field.add_range(cron_every_value, {}, std::max(*step, 1));
}

complaint cron_parser::read_last(cron_field& field, std::string_view item) {
  if (field.kind() < field_kind::day_of_month)
    return cron_fault{cron_mistake::not_here, "'L' not expected in seconds, minutes or hours fields."};
  if (field.is(field_kind::day_of_week))
    return field.add_value(field.limits().high);
  // In a month or a year it is accepted without effect.
  if (!field.is(field_kind::day_of_month))
    return {};
  std::int32_t before = 0;
  if (std::size_t pos = 2; item.starts_with("L-"))
    if (auto wrong = read_digits(item, pos, before))
      return wrong;
  if (before > 30)
    return cron_fault{cron_mistake::out_of_range, "Offset from last day must be <= 30"};
  auto& days = item.ends_with('W') ? parsed_.parts_.nearest_before_last : parsed_.parts_.days_before_last;
  days |= std::uint32_t{1} << before;
  return {};
}

complaint cron_parser::read_name(cron_field& field, std::string_view item) {
  std::int32_t value = 0, stop = 0;
  if (auto wrong = field.find_name(item, value))
    return wrong;
  constexpr std::size_t name_size = 3;
  const char option = item.size() > name_size ? item[name_size] : '\0';
  if (option == '-') {
    if (auto wrong = field.find_name(item.substr(name_size + 1), stop))
      return wrong;
    return field.add_range(value, stop, 1);
  }
  if (option == '#' && field.is(field_kind::day_of_week))
    return read_nth(field, item, name_size, value);
  if (option == 'L' && field.is(field_kind::day_of_week))
    return read_last_weekday(field, name_size, value);
  return field.add_value(value);
}

complaint cron_parser::read_number(cron_field& field, std::string_view item) {
  std::size_t pos = 0;
  std::int32_t value = 0;
  if (auto wrong = read_digits(item, pos, value))
    return wrong;
  switch (pos < item.size() ? item[pos] : '\0') {
  case 'L': return read_last_weekday(field, pos, value);
  case 'W': return read_nearest_weekday(field, pos, value);
  case '#': return read_nth(field, item, pos, value);
  case '-': return read_range(field, item, pos + 1, value);
  case '/': return read_step(field, item, pos + 1, value);
  // Any other text after the digits is ignored.
  default: return field.add_value(value);
  }
}

complaint cron_parser::read_last_weekday(cron_field& field, std::size_t pos, std::int32_t weekday) {
  if (!field.is(field_kind::day_of_week))
    return not_valid_here('L', pos);
  if (weekday > field.limits().high)
    return cron_fault{cron_mistake::out_of_range, std::string{field.limits().out_of_range}};
  parsed_.parts_.rule = cron_parts::day_rule::last_weekday;
  return field.add_value(weekday);
}

complaint cron_parser::read_nearest_weekday(cron_field& field, std::size_t pos, std::int32_t day) {
  if (!field.is(field_kind::day_of_month))
    return not_valid_here('W', pos);
  if (day > field.limits().high)
    return cron_fault{cron_mistake::out_of_range,
                      "The 'W' option does not make sense with values larger than 31 (max number of days in a month)"};
  parsed_.parts_.nearest_to_day |= std::uint32_t{1} << day;
  return {};
}

complaint cron_parser::read_nth(cron_field& field, std::string_view item, std::size_t pos, std::int32_t weekday) {
  if (!field.is(field_kind::day_of_week))
    return not_valid_here('#', pos);
  const auto nth = parse_int32(item.substr(pos + 1));
  if (!nth || *nth < 1 || *nth > 5)
    return cron_fault{cron_mistake::out_of_range, "A numeric value between 1 and 5 must follow the '#' option"};
  parsed_.parts_.rule = cron_parts::day_rule::nth_weekday;
  parsed_.parts_.nth = static_cast<std::uint8_t>(*nth);
  return field.add_unchecked_weekday(weekday);
}

complaint cron_parser::read_range(cron_field& field, std::string_view item, std::size_t pos, std::int32_t start) {
  std::int32_t stop = 0, step = 1;
  if (auto wrong = read_digits(item, pos, stop))
    return wrong;
  if (pos < item.size() && item[pos] == '/')
    if (auto wrong = read_digits(item, ++pos, step))
      return wrong;
  // Unlike `a/s`, the step of a range has no upper limit.
  return field.add_range(start, stop, step);
}

complaint cron_parser::read_step(cron_field& field, std::string_view item, std::size_t pos, std::int32_t start) {
  if (pos == item.size())
    return cron_fault{cron_mistake::incomplete, "'/' must be followed by an integer."};
  const auto begin = pos;
  std::int32_t step = 0;
  if (auto wrong = read_digits(item, pos, step))
    return wrong;
  // After a step of two or more digits any text is ignored.
  if (pos == begin + 1 && pos < item.size())
    return unexpected_at("Unexpected character '", character_at(item, pos), "' after '/'");
  if (auto wrong = field.check_step(step))
    return wrong;
  return field.add_range(start, {}, step);
}

result<cron_expression> cron_expression::parse(std::string_view text, int year_limit) {
  return cron_parser{year_limit}.parse(text);
}

std::optional<cron_error> cron_expression::find_error(std::string_view text) {
  return cron_parser{cron_year_max}.find_error(text);
}

} // namespace ringmaster::core
