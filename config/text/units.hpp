#pragma once

// Durations and sizes as the configuration writes them. Internal to config.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace ringmaster::config {

inline constexpr std::string_view duration_form = R"(a duration such as "200ms", "3s", "10m" or "1h")";
inline constexpr std::string_view size_form = R"(a size such as "512B", "16KiB", "16MiB" or "1GiB")";

/// A whole number and its unit, nothing else: `200ms`, `3s`, `10m`, `1h`. Nothing for another form and for what 64 bits of ms do
/// not hold.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

/// In the largest unit that divides it: 3000 ms is `3s`.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds value);

/// A day, `2026-12-01`, which stands for its begin, or a time, `2026-12-01T06:00:00Z`. UTC.
[[nodiscard]] std::optional<core::time_point> parse_utc(std::string_view text) noexcept;

/// `512B`, `16KiB`, `16MiB`, `1GiB`.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text) noexcept;
[[nodiscard]] std::string format_size(std::int64_t bytes);

} // namespace ringmaster::config
