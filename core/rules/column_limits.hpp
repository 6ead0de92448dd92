#pragma once

// Column widths that differ between databases: older generations of XXL's schema have narrower columns than ours
// (`core/columns.hpp`).

#include <cstddef>
#include <string>
#include <string_view>

#include "core/columns.hpp"
#include "core/result.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

struct column_limits {
  /// Width of `xxl_job_group.title`.
  std::size_t title_chars = core::title_chars;
  /// Width of `executor_param` of jobs and of log rows, in characters; 0: `text_bytes` bytes.
  std::size_t param_chars = 0;
};

/// Errors: `invalid_argument` with the column and its width.
[[nodiscard]] inline result<void> check_title(std::string_view title, const column_limits& limits) {
  if (fits(title, limits.title_chars))
    return {};
  return fail(errc::invalid_argument,
              "title is longer than the " + std::to_string(limits.title_chars) + " characters that the column holds");
}
[[nodiscard]] inline result<void> check_param(std::string_view param, const column_limits& limits) {
  if (param.size() > text_bytes)
    return fail(errc::invalid_argument, "params (executor_param) is longer than " + std::to_string(text_bytes) + " bytes");
  if (limits.param_chars != 0 && !fits(param, limits.param_chars))
    return fail(errc::invalid_argument, "params (executor_param) is longer than the " + std::to_string(limits.param_chars) +
                                          " characters that the column holds in this generation of the schema");
  return {};
}

} // namespace ringmaster::core
