#pragma once

// Column widths that differ between databases: older generations of XXL's schema have narrower columns than ours
// (`core/columns.hpp`).

#include <cstddef>
#include <string_view>

#include "core/columns.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

struct column_limits {
  /// Width of `xxl_job_group.title`.
  std::size_t title_chars = core::title_chars;
  /// Width of `executor_param` of jobs and of log rows, in characters; 0: `text_bytes` bytes.
  std::size_t param_chars = 0;
};

/// Errors: `invalid_argument` with the column and its width.
[[nodiscard]] result<void> check_title(std::string_view title, const column_limits& limits);
[[nodiscard]] result<void> check_param(std::string_view param, const column_limits& limits);

} // namespace ringmaster::core
