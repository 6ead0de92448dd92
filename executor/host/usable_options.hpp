#pragma once

#include "core/result.hpp"
#include "executor/executor.hpp"

namespace ringmaster::executor {

/// What can be seen to be wrong before anything starts. Errors: `invalid_argument` that names the option, and what it may be.
[[nodiscard]] core::result<void> check_options(const executor_options& options);

} // namespace ringmaster::executor
