#pragma once

// The jobs of `ringmaster demo`, and the handlers that run them.

#include <string_view>

#include "core/result.hpp"
#include "executor/executor.hpp"

namespace ringmaster::apps {

inline constexpr std::string_view demo_app_name = "demo-executor";

/// Returns the declared file: jobs with several schedules, a failing one, a slow one, a broadcast, and a parent with its child.
[[nodiscard]] std::string_view demo_declaration() noexcept;

/// Returns the handlers that the jobs name. Errors: `invalid_argument`.
[[nodiscard]] core::result<executor::handlers> demo_handlers();

} // namespace ringmaster::apps
