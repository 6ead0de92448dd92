#pragma once

// Which runs the next step of clearing the log removes. The backends remove them.

#include <string>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "storage/rows/run_paging.hpp"

namespace ringmaster::storage {

/// What one step has found.
struct clear_finding {
  /// Ascending.
  std::vector<core::log_id> ids;
  /// The stretch in which they are, and nothing else that is to go.
  core::log_range range;
  std::optional<core::clear_place> next;
};

/// `ids` without `held`; both ascending.
void leave_out(std::vector<core::log_id>& ids, const std::vector<core::log_id>& held);

/// Errors: `forbidden`. `group_of_job`: of the job that is asked for, when there is one.
[[nodiscard]] core::result<run_terms> clear_terms_of(const core::clear_search& search, std::optional<core::group_id> group_of_job,
                                                     const core::principal& by, datetime_text& dates);

/// Nothing: there is nothing to clear.
[[nodiscard]] std::optional<core::clear_place> clear_begin(run_paths& log, const core::clear_search& search,
                                                           datetime_text& dates);

[[nodiscard]] clear_finding clear_next(run_paths& log, const run_terms& terms, const core::clear_place& from, std::size_t limit);

[[nodiscard]] core::audit_row audit_of_clearing(const core::clear_search& search, const core::principal& by, datetime_text& dates,
                                                core::time_point now);

} // namespace ringmaster::storage
