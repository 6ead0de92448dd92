#pragma once

#include <string>

#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Epoch milliseconds, or ISO 8601: `2026-11-21`, `2026-11-21T10:00`, `…:30.250`, with `Z`, `+08`, `+0800` or `+08:00`; without
/// one of these, in `where`. A space may stand for the T. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::time_point> parse_time(const std::string& text, const core::zone& where);

/// A whole number and its unit: `250ms`, `30s`, `90m`, `12h`, `7d`; more than nothing. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::milliseconds> parse_span(const std::string& text);

} // namespace ringmaster::apps
