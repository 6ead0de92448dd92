#pragma once

// What a configuration says of `ringmaster executor`.

#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/executor.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::apps {

/// Its commands and calls. Errors: the first one that cannot be made, by its name.
[[nodiscard]] core::result<executor::handlers> handlers_of(const config::settings& settings);

[[nodiscard]] executor::executor_options executor_options_of(const config::settings& settings, protocol::logger log);

} // namespace ringmaster::apps
