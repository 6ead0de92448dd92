#pragma once

// How a page of jobs and their number are found without going through all jobs twice. What a backend has to offer is `job_paths`;
// what it throws passes through here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/editing/job_draft.hpp"
#include "core/ids.hpp"
#include "core/page.hpp"
#include "storage/rows/seen_totals.hpp"

namespace ringmaster::storage {

/// The jobs that a search is about, of one read.
class job_paths {
public:
  virtual ~job_paths() = default;

  /// Number of the last edit; nothing: others edit, who count nothing.
  [[nodiscard]] virtual std::optional<std::int64_t> last_edit() = 0;
  [[nodiscard]] virtual std::int64_t count() = 0;
  /// Some of them, in any order: as many as `limit` when there are so many.
  [[nodiscard]] virtual std::vector<core::job_id> some(std::size_t limit) = 0;
  /// In order of their ids.
  [[nodiscard]] virtual std::vector<core::job_id> newest(const core::page_window& window) = 0;
  [[nodiscard]] virtual std::vector<core::job_id> oldest(const core::page_window& window) = 0;
};

/// Few enough to be told from one look, which also counts them.
inline constexpr std::size_t few_jobs = 2000;

struct found_jobs {
  /// Newest first.
  std::vector<core::job_id> ids;
  std::int64_t total = 0;
};

/// Something beside groups is asked for: rows have to be looked at.
[[nodiscard]] bool is_filtered(const core::job_search& search) noexcept;

/// `groups`: those it is about; nothing: all. No more than `core::page_rows_max` rows. A total of many may be as old as
/// `seen_totals::lifetime` when no edit has changed the list since: schedules end by themselves.
[[nodiscard]] found_jobs find_jobs(job_paths& jobs, const core::job_search& search,
                                   const std::optional<std::vector<core::group_id>>& groups, seen_totals& totals);

} // namespace ringmaster::storage
