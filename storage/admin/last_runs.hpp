#pragma once

// The newest run of each job, along the index on jobs, and jobs by the status of that run.

#include <cstddef>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/run/run_search.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Finds the newest runs of each job, at most `count` of each, inside a read. The log must have an index on jobs.
[[nodiscard]] std::vector<core::log_id> find_newest_runs(admin_session& own, const std::vector<core::job_id>& jobs,
                                                         std::size_t count);

/// Returns those of the jobs whose last run has one of the statuses, in the same order, inside a read. The last run is that of
/// `core::job_facts`. Looks at most at `core::last_runs_max` jobs one by one, and at the newest rows of the log for all jobs at
/// once. Errors: `invalid_argument` if this does not decide every job, or if the log has no index on jobs.
[[nodiscard]] core::result<std::vector<core::job_id>> jobs_with_last_run(admin_session& own,
                                                                         const std::vector<core::job_id>& jobs,
                                                                         const std::vector<core::run_status>& statuses,
                                                                         const core::principal& by);

} // namespace ringmaster::storage
