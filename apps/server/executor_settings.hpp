#pragma once

// Settings of `ringmaster executor`.

#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/executor.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::apps {

/// Returns the handlers for the configured commands and calls. Errors: the first invalid one, by its name.
[[nodiscard]] core::result<executor::handlers> handlers_of(const config::settings& settings);

[[nodiscard]] executor::executor_options executor_options_of(const config::settings& settings, protocol::logger log);

} // namespace ringmaster::apps
