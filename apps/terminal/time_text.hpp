#pragma once

#include <string>

#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Parses epoch milliseconds or ISO 8601: `2026-11-21`, `2026-11-21T10:00`, `…:30.250`, with `Z`, `+08`, `+0800` or `+08:00`.
/// Without an offset, the time is in zone `where`. A space may replace the T. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::time_point> parse_time(const std::string& text, const core::zone& where);

/// Parses a positive whole number and its unit: `250ms`, `30s`, `90m`, `12h`, `7d`. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::milliseconds> parse_span(const std::string& text);

} // namespace ringmaster::apps
