#include "config/text/units.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

namespace ringmaster::config {

namespace {

struct unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr unit durations[] = {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};
constexpr unit sizes[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};

std::optional<std::int64_t> parse(std::string_view text, std::span<const unit> units) noexcept {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  auto [rest, status] = std::from_chars(text.data(), end, count);
  if (status != std::errc{} || count < 0)
    return std::nullopt;
  const std::string_view name{rest, static_cast<std::size_t>(end - rest)};
  for (const unit& each : units)
    if (each.name == name && count <= std::numeric_limits<std::int64_t>::max() / each.factor)
      return count * each.factor;
  return std::nullopt;
}

std::string format(std::int64_t value, std::span<const unit> units) {
  for (const unit& each : units)
    if (value != 0 && value % each.factor == 0)
      return std::to_string(value / each.factor).append(each.name);
  return std::to_string(value).append(units.back().name);
}

/// Compares a text with a form, in which `d` stands for a digit.
bool has_form(std::string_view text, std::string_view form) noexcept {
  const auto fits = [](char given, char wanted) { return wanted == 'd' ? given >= '0' && given <= '9' : given == wanted; };
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), fits);
}

int digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + count, value);
  return value;
}

} // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  const auto value = parse(text, durations);
  return value ? std::optional{std::chrono::milliseconds{*value}} : std::nullopt;
}

std::optional<core::time_point> parse_utc(std::string_view text) noexcept {
  using namespace std::chrono;
  constexpr std::string_view day_form = "dddd-dd-dd", time_form = "dddd-dd-ddTdd:dd:ddZ";
  if (!has_form(text, day_form) && !has_form(text, time_form))
    return std::nullopt;
  const year_month_day date{year{digits(text, 0, 4)}, month{static_cast<unsigned>(digits(text, 5, 2))},
                            day{static_cast<unsigned>(digits(text, 8, 2))}};
  const bool has_time = text.size() == time_form.size();
  const auto h = has_time ? digits(text, 11, 2) : 0;
  const auto m = has_time ? digits(text, 14, 2) : 0;
  const auto s = has_time ? digits(text, 17, 2) : 0;
  if (!date.ok() || h > 23 || m > 59 || s > 59)
    return std::nullopt;
  return time_point_cast<core::milliseconds>(sys_days{date} + hours{h} + minutes{m} + seconds{s});
}

std::string format_duration(std::chrono::milliseconds value) { return format(value.count(), durations); }

std::optional<std::int64_t> parse_size(std::string_view text) noexcept { return parse(text, sizes); }

std::string format_size(std::int64_t bytes) { return format(bytes, sizes); }

} // namespace ringmaster::config
