#pragma once

#include "actors/logger.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// Returns a logger to standard error: text, or one JSON object per line. Thread-safe; never null.
[[nodiscard]] actors::logger make_logger(const config::log_settings& settings);

} // namespace ringmaster::apps
