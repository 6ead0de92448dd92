#pragma once

// Finds a page of jobs and their number without reading all jobs twice. A backend implements `job_paths`; its exceptions pass
// through.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/ids.hpp"
#include "core/page.hpp"
#include "storage/rows/seen_totals.hpp"

namespace ringmaster::storage {

/// The jobs that match a search, within one read.
class job_paths {
public:
  virtual ~job_paths() = default;

  /// Returns the number of the last edit; empty if other programs edit jobs, which do not count edits.
  [[nodiscard]] virtual std::optional<std::int64_t> last_edit() = 0;
  [[nodiscard]] virtual std::int64_t count() = 0;
  /// Returns matching jobs in any order, at most `limit`.
  [[nodiscard]] virtual std::vector<core::job_id> some(std::size_t limit) = 0;
  /// Return jobs of the window in the order of their ids: the newest first, the oldest first.
  [[nodiscard]] virtual std::vector<core::job_id> newest(const core::page_window& window) = 0;
  [[nodiscard]] virtual std::vector<core::job_id> oldest(const core::page_window& window) = 0;
};

/// Maximum number of matching jobs for which one read of all ids gives the page and the total.
inline constexpr std::size_t few_jobs = 2000;

struct found_jobs {
  /// Newest first.
  std::vector<core::job_id> ids;
  std::int64_t total = 0;
};

/// Returns whether the search has conditions other than groups, so that rows have to be read.
[[nodiscard]] bool is_filtered(const core::job_search& search) noexcept;

/// Finds a page of at most `core::page_rows_max` rows. `groups`: the groups to search; empty optional: all. The total of a long
/// list may be as old as `seen_totals::lifetime` when no edit has changed the list since, because schedules also end without an
/// edit.
[[nodiscard]] found_jobs find_jobs(job_paths& jobs, const core::job_search& search,
                                   const std::optional<std::vector<core::group_id>>& groups, seen_totals& totals);

} // namespace ringmaster::storage
