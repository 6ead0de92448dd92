#pragma once

#include "actors/logger.hpp"
#include "config/settings.hpp"

namespace ringmaster::apps {

/// Writes to standard error, as text or as one JSON object a line. Thread-safe; never null.
[[nodiscard]] actors::logger make_logger(const config::log_settings& settings);

} // namespace ringmaster::apps
