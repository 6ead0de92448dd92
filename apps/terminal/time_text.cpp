#include "apps/terminal/time_text.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

namespace ringmaster::apps {

namespace {

/// Removes `count` digits from the front and returns their value.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int number = 0;
  if (text.size() < count || text.substr(0, count).find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::from_chars(text.data(), text.data() + count, number);
  text.remove_prefix(count);
  return number;
}

/// Removes a date such as `2026-11-21`, `2026-11-21T10:00` or `2026-11-21T10:00:00` from the front. Returns it completed to
/// seconds.
std::string take_civil(std::string_view& text) {
  constexpr std::string_view zeros = "2000-00-00 00:00:00";
  std::size_t length = 10;
  if (text.size() > length && (text[length] == 'T' || text[length] == ' '))
    length = text.size() > 16 && text[16] == ':' ? 19 : 16;
  std::string civil{text.substr(0, length)};
  text.remove_prefix(civil.size());
  if (civil.size() > 10)
    civil[10] = ' ';
  return civil.size() < length ? civil : civil.append(zeros.substr(length));
}

/// Removes a fraction: `.25` is 250 ms; digits beyond the third are cut off.
std::optional<core::milliseconds> take_fraction(std::string_view& text) {
  if (!text.starts_with('.'))
    return core::milliseconds{0};
  auto digits = text.substr(1, text.find_first_not_of("0123456789", 1) - 1);
  if (digits.empty())
    return std::nullopt;
  text.remove_prefix(1 + digits.size());
  auto three = (std::string{digits} + "00").substr(0, 3);
  std::string_view rest = three;
  return core::milliseconds{take_digits(rest, 3).value_or(0)};
}

/// Parses `Z`, `+08`, `+0800` or `+08:00`.
std::optional<core::milliseconds> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z")
    return core::milliseconds{0};
  if (!text.starts_with('+') && !text.starts_with('-'))
    return std::nullopt;
  const int sign = text.front() == '+' ? 1 : -1;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  if (text.starts_with(':') && text.size() == 3)
    text.remove_prefix(1);
  const auto minutes = text.empty() ? std::optional{0} : take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 18 || *minutes > 59)
    return std::nullopt;
  return sign * (std::chrono::hours{*hours} + std::chrono::minutes{*minutes});
}

std::optional<core::time_point> parse_epoch(std::string_view text) {
  std::int64_t ms = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (problem != std::errc{} || end != text.data() + text.size() || ms < 0 || ms > core::latest_ms)
    return std::nullopt;
  return core::from_ms(ms);
}

} // namespace

core::result<core::time_point> parse_time(const std::string& text, const core::zone& where) {
  if (auto epoch = parse_epoch(text))
    return *epoch;
  auto wrong =
    core::fail(core::errc::invalid_argument,
               "\"" + text + "\" is not a time; expected ISO 8601, such as 2026-11-21T10:00+08:00, or epoch milliseconds");
  std::string_view rest = text;
  const auto civil = take_civil(rest);
  const auto fraction = take_fraction(rest);
  const auto offset = rest.empty() ? std::optional{core::milliseconds{0}} : parse_offset(rest);
  if (!fraction || !offset)
    return wrong;
  auto parsed = (rest.empty() ? where : core::zone{}).parse(civil);
  if (!parsed)
    return wrong;
  return *parsed + *fraction - *offset;
}

core::result<core::milliseconds> parse_span(const std::string& text) {
  constexpr std::pair<std::string_view, std::int64_t> units[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  std::int64_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit{rest, static_cast<std::size_t>(text.data() + text.size() - rest)};
  constexpr std::int64_t number_max = 1'000'000'000;
  for (const auto& [name, ms] : units)
    if (problem == std::errc{} && unit == name && number > 0 && number <= number_max)
      return core::milliseconds{number * ms};
  return core::fail(core::errc::invalid_argument,
                    "\"" + text + "\" is not a duration; expected a number and a unit, such as 90m or 7d");
}

} // namespace ringmaster::apps
