#pragma once

// Conversion of a job's declaration to columns, and readable texts of differences.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"
#include "core/rules/deploy_plan.hpp"

namespace ringmaster::core {

/// Returns the columns that `job` declares. Errors: `invalid_argument` naming the value that is longer than its column.
[[nodiscard]] result<job_columns> columns_of(const declared_job& job, const column_limits& limits);

/// Checks the texts among the options. Errors: `invalid_argument` naming the option that is longer than its column.
[[nodiscard]] result<void> check_widths(const job_options& options);

/// Returns `params: "a" -> "b"`, one entry per column that differs, with the names of the file. Long values are shortened
/// in its text.
[[nodiscard]] std::vector<audit_line> differences(const job_columns& before, const job_columns& after);

/// Returns `name: "before" -> "after"`.
[[nodiscard]] audit_line difference(std::string_view name, std::string_view before, std::string_view after);

} // namespace ringmaster::core
