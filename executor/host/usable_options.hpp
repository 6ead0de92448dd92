#pragma once

#include <cstddef>

#include "core/result.hpp"
#include "executor/executor.hpp"

namespace ringmaster::executor {

/// Checks the options before anything starts. Errors: `invalid_argument` with the option and its valid values.
[[nodiscard]] core::result<void> check_options(const executor_options& options);
/// Checks the options of elastic jobs, for a process with this number of their handlers. Errors: as above.
[[nodiscard]] core::result<void> check_elastic(const executor_options& options, std::size_t handlers);

} // namespace ringmaster::executor
