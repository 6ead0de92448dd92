#include "config/units.hpp"

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

} // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
  const auto value = parse(text, durations);
  return value ? std::optional{std::chrono::milliseconds{*value}} : std::nullopt;
}

std::string format_duration(std::chrono::milliseconds value) { return format(value.count(), durations); }

std::optional<std::int64_t> parse_size(std::string_view text) noexcept { return parse(text, sizes); }

std::string format_size(std::int64_t bytes) { return format(bytes, sizes); }

} // namespace ringmaster::config
