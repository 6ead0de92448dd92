#pragma once

// The pure part of applying `[[elastic_job]]`: computes a list of writes from the stored jobs and those that a source declares.

#include <optional>
#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/result.hpp"
#include "core/rules/deploy_plan.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

struct elastic_job_write {
  change_kind kind = change_kind::create;
  /// E11: of a stored job with its id and version. Only these two count for a removal.
  elastic::elastic_edit edit;
  /// Position: in `deploy_plan::groups`.
  existing_or_new<group_id> group;
  /// E12, after the edit: the new status of a stored job.
  std::optional<elastic::job_status> status;
  /// The job is no longer declared, but its items run or wait: it is shut down, without an edit. The next apply removes it.
  bool ends_later = false;
};

struct elastic_plan {
  std::vector<deploy_change> changes;
  /// Changes only; removals last.
  std::vector<elastic_job_write> writes;
};

/// Returns whether a prune by this set removes the job.
[[nodiscard]] bool is_pruned(const elastic::elastic_job_row& job, const declared_set& declared);

/// Plans the writes. `groups`: the plan of the same set. A job that a user disabled or shut down stays so until the declaration
/// changes `enabled`. Errors, each with `where`: `conflict` (a job of another owner, several groups of that name;
/// a prune while files of the source are missing),
/// `invalid_argument` (unknown group, duplicate, a value that does not fit, a schedule that is wrong or never fires).
[[nodiscard]] result<elastic_plan> plan_elastic(const deploy_state& held, const deploy_plan& groups, const declared_set& declared,
                                                bool prune, time_point now, const zone& schedule_zone);

} // namespace ringmaster::core
