#pragma once

// A page of jobs for users, with facts about each job beside its columns.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/page.hpp"
#include "core/run/log_row.hpp"

namespace ringmaster::core {

/// Number of a job's newest runs among which open ones are counted.
inline constexpr std::size_t open_runs_seen = 20;

/// Maximum number of matching jobs that are sorted by a value without an index.
inline constexpr std::int64_t sorted_jobs_max = 10'000;

/// Maximum number of jobs whose last run is looked up for each job, when a list is filtered by its status.
inline constexpr std::size_t last_runs_max = 2'000;

struct job_facts {
  /// Empty if the group is gone.
  std::string group_title;
  /// Newest run that the user may see among the newest `open_runs_seen`, also a manual one. Unset: there is none, or the log has
  /// no index on jobs.
  std::optional<log_row> last_run;
  /// Runs without a result that the user may see among the newest `open_runs_seen`. Unset if the log has no index on jobs.
  std::optional<std::size_t> open_runs;
  /// User of the last edit, start or stop, as far as the audit log has it; otherwise empty.
  std::string updated_by;
};

struct job_list {
  page<job_record> jobs;
  /// Facts of each job of the page.
  std::vector<job_facts> facts;
  /// Rows follow after the page.
  bool more = false;
};

/// Returns the place of a row in an order, as the next page begins after it.
[[nodiscard]] inline job_place place_of(const job_record& row, job_order order) {
  const auto ms = [](time_point t) { return to_ms(t); };
  switch (order) {
  case job_order::name: return {row.name, 0, row.id};
  case job_order::next: return {{}, ms(row.next), row.id};
  case job_order::last: return {{}, ms(row.last), row.id};
  case job_order::updated: return {{}, row.revision, row.id};
  case job_order::newest:
  case job_order::oldest: break;
  }
  return {{}, 0, row.id};
}

} // namespace ringmaster::core
