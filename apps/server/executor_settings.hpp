#pragma once

// Settings of `ringmaster executor`.

#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/executor.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::apps {

/// Returns the handlers for the configured commands and calls. Errors: the first invalid one, by its name.
[[nodiscard]] core::result<executor::handlers> handlers_of(const config::settings& settings);

/// Returns the types of elastic jobs that the executor runs; none with `executor.elastic = false`. Errors: `invalid_argument` for
/// settings that have no effect, or that leave nothing to run.
[[nodiscard]] core::result<executor::elastic::elastic_handlers> elastic_handlers_of(const config::settings& settings);

[[nodiscard]] executor::executor_options executor_options_of(const config::settings& settings, protocol::logger log);

} // namespace ringmaster::apps
