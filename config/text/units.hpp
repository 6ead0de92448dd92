#pragma once

// Durations and sizes in the configuration. Internal to config.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace ringmaster::config {

inline constexpr std::string_view duration_form = R"(a duration such as "200ms", "3s", "10m" or "1h")";
inline constexpr std::string_view size_form = R"(a size such as "512B", "16KiB", "16MiB" or "1GiB")";

/// Parses a whole number and its unit: `200ms`, `3s`, `10m`, `1h`. Unset for another form and for more than 64 bits of ms.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept;

/// Formats a duration in the largest unit that divides it: 3000 ms is `3s`.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds value);

/// Parses a day, `2026-12-01`, which means its begin, or a time, `2026-12-01T06:00:00Z`. UTC.
[[nodiscard]] std::optional<core::time_point> parse_utc(std::string_view text) noexcept;

/// Parses a size: `512B`, `16KiB`, `16MiB`, `1GiB`.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text) noexcept;
[[nodiscard]] std::string format_size(std::int64_t bytes);

} // namespace ringmaster::config
