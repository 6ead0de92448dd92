#pragma once

// How a page of runs is found without reading the log: bounds of ids from bounds of time, then along an index, over a stretch
// that is never longer than some rows. What a backend has to offer is `run_paths`; what it throws passes through here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/run/run_search.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/rows/seen_totals.hpp"

namespace ringmaster::storage {

/// Along which index rows are looked at, always by id within it.
enum class run_path : std::uint8_t {
  primary,
  /// Of one job.
  job,
  /// Of one group.
  group,
  /// handle_code = 0.
  open,
  /// Those of `rm_failed_run`.
  failed
};

/// What rows must be like.
struct run_terms {
  std::optional<core::group_id> group = {};
  std::optional<core::job_id> job = {};
  /// `3,17`: one of these groups.
  std::optional<std::string> visible = {};
  core::run_status status = core::run_status::any;
  /// Texts of the column.
  std::optional<std::string> from = {};
  std::optional<std::string> until = {};
  /// Empty: any.
  std::string handler = {};
};

/// A backend's log. One transaction, or one read, long.
class run_paths {
public:
  virtual ~run_paths() = default;

  struct glance {
    core::log_id last{};
    /// Text of the column.
    std::string newest;
  };
  struct stretch {
    /// Newest first.
    std::vector<core::log_id> ids;
    /// No row at or below it was looked at, because there were too many; nothing: they were.
    std::optional<core::log_id> floor;
  };

  [[nodiscard]] virtual core::log_span span() = 0;
  /// The last id and the newest time of the next `glance_rows` rows that have one, from `id` on.
  [[nodiscard]] virtual std::optional<glance> look_at(core::log_id id) = 0;
  [[nodiscard]] virtual bool has(run_path path) const = 0;
  /// Rows of the range that meet the terms, newest first, until `limit` are found: of any other path than `primary`, and of no
  /// more than its newest `rows` rows.
  [[nodiscard]] virtual stretch look_along(run_path path, const run_terms& terms, const core::log_range& range,
                                           std::size_t limit, std::int64_t rows) = 0;
  /// The same of all rows of the range; of `primary` and `job` and `group` only.
  [[nodiscard]] virtual std::vector<core::log_id> newest(run_path path, const run_terms& terms, const core::log_range& range,
                                                         std::size_t limit) = 0;
  /// The same, oldest first; of `primary` and `job` and `group` only.
  [[nodiscard]] virtual std::vector<core::log_id> oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                                         std::size_t limit) = 0;
  /// Jobs of the groups in the terms, ascending.
  [[nodiscard]] virtual std::vector<core::job_id> jobs_of(const run_terms& terms, std::size_t limit) = 0;
};

/// The path's own condition is all that is asked for, so that nothing but the index is read.
[[nodiscard]] bool said_by_path(run_path path, const run_terms& terms) noexcept;

/// Rows that are looked at to learn how late it is at an id: some are late by hours, because they repeat others.
inline constexpr std::int64_t glance_rows = 64;

struct found_runs {
  /// Newest first.
  std::vector<core::log_id> ids;
  std::int64_t total = 0;
  bool total_is_capped = false;
  /// There are as many as the window asks for.
  bool is_full = false;
};

/// Errors: `forbidden`. `group_of_job`: of the job that is asked for, when there is one.
[[nodiscard]] core::result<run_terms> terms_of(const core::run_search& search, std::optional<core::group_id> group_of_job,
                                               const core::principal& by, datetime_text& dates);

/// The ids outside which no run of these times is, but for those that are late.
[[nodiscard]] core::log_range bounds_of(run_paths& log, std::optional<core::time_point> from,
                                        std::optional<core::time_point> until, datetime_text& dates);

/// The path that leads past the fewest rows.
[[nodiscard]] run_path best_path(const run_paths& log, const run_terms& terms);

/// See `run_reader::page`. `terms`: those of `search`. `totals`: that there were too many to count is believed for a while.
[[nodiscard]] found_runs find_runs(run_paths& log, const run_terms& terms, const core::run_search& search, std::size_t count_max,
                                   datetime_text& dates, seen_totals& totals);

} // namespace ringmaster::storage
