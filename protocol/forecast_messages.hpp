#pragma once

// Payloads about counts of firings. None leaves the process.

#include <optional>

#include "core/access/principal.hpp"
#include "core/forecast/firing_counts.hpp"
#include "core/ids.hpp"

namespace ringmaster::protocol {

/// Asks for counts of firings of the jobs that `by` may see.
struct counts_query {
  std::optional<core::group_id> group;
  /// Only this job.
  std::optional<core::job_id> job;
  core::counts_search search;
  /// Also counts as if one job had this schedule. Then `job` is empty.
  std::optional<core::changed_schedule> change;
  core::principal by;
};

struct counts_found {
  core::counts_report report;
};

} // namespace ringmaster::protocol
