#pragma once

// Lists of jobs with conditions and orders that only our own API has. The web API of XXL-JOB has statements of its own in the
// backends (`searched_jobs.cpp`), which read fewer tables.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/job_list.hpp"
#include "storage/admin/admin_session.hpp"
#include "storage/rows/seen_totals.hpp"

namespace ringmaster::storage {

/// The jobs of a page, in their order.
struct ordered_jobs {
  std::vector<core::job_id> ids;
  std::int64_t total = 0;
  /// Rows follow after the page.
  bool more = false;
};

/// Returns true for a search with conditions or an order of our own API.
[[nodiscard]] bool is_finer(const core::job_search& search) noexcept;

/// Finds a page of at most `core::page_rows_max` rows, inside a read. `groups`: the groups to search; empty optional: all.
/// Errors: `invalid_argument` for an order by a value when more than `core::sorted_jobs_max` jobs match, and as
/// `jobs_with_last_run`.
[[nodiscard]] core::result<ordered_jobs> find_ordered(admin_session& own, const core::job_search& search,
                                                      const std::optional<std::vector<core::group_id>>& groups,
                                                      const core::principal& by, seen_totals& totals);

/// The running jobs that are due first, ordered by next time, then by id.
struct soonest_jobs {
  std::vector<core::job_id> ids;
  /// Other running jobs follow after them.
  bool more = false;
};

/// Finds at most `limit` jobs, inside a read. Reads only the times of jobs, unless `groups` are given, so that it is quick with
/// any number of jobs. Errors: those of `admin_session::mode`.
[[nodiscard]] core::result<soonest_jobs> find_soonest(admin_session& own,
                                                      const std::optional<std::vector<core::group_id>>& groups,
                                                      std::size_t limit);

} // namespace ringmaster::storage
