#pragma once

#include "core/result.hpp"
#include "executor/executor.hpp"

namespace ringmaster::executor {

/// Checks the options before anything starts. Errors: `invalid_argument` with the option and its valid values.
[[nodiscard]] core::result<void> check_options(const executor_options& options);

} // namespace ringmaster::executor
