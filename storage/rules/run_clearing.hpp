#pragma once

// Selects the runs that the next step of clearing the log removes. The backends remove them.

#include <string>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "storage/rows/run_paging.hpp"

namespace ringmaster::storage {

/// The runs that one step has found.
struct clear_finding {
  /// Ascending.
  std::vector<core::log_id> ids;
  /// The stretch that contains `ids` and no other runs to remove.
  core::log_range range;
  std::optional<core::clear_place> next;
};

/// Removes `held` from `ids`; both ascending.
void leave_out(std::vector<core::log_id>& ids, const std::vector<core::log_id>& held);

/// Returns the conditions of the runs to clear. `group_of_job`: group of the requested job, if a job is requested. Errors:
/// `forbidden`.
[[nodiscard]] core::result<run_terms> clear_terms_of(const core::clear_search& search, std::optional<core::group_id> group_of_job,
                                                     const core::principal& by, datetime_text& dates);

/// Returns where to begin; empty if there is nothing to clear.
[[nodiscard]] std::optional<core::clear_place> clear_begin(run_paths& log, const core::clear_search& search,
                                                           datetime_text& dates);

[[nodiscard]] clear_finding clear_next(run_paths& log, const run_terms& terms, const core::clear_place& from, std::size_t limit);

[[nodiscard]] core::audit_row audit_of_clearing(const core::clear_search& search, const core::principal& by, datetime_text& dates,
                                                core::time_point now);

} // namespace ringmaster::storage
