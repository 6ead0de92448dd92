#pragma once

// Finds a page of runs without reading the whole log: converts time bounds to id bounds, then follows an index over a stretch of
// limited length. A backend implements `run_paths`; its exceptions pass through.

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

/// The index along which rows are read, always by id within it.
enum class run_path : std::uint8_t {
  primary,
  /// Runs of one job.
  job,
  /// Runs of one group.
  group,
  /// Runs with handle_code = 0.
  open,
  /// Runs in `rm_failed_run`.
  failed
};

/// Conditions that rows must meet.
struct run_terms {
  std::optional<core::group_id> group = {};
  std::optional<core::job_id> job = {};
  /// `3,17`: one of these groups.
  std::optional<std::string> visible = {};
  core::run_status status = core::run_status::any;
  /// Values as in the column.
  std::optional<std::string> from = {};
  std::optional<std::string> until = {};
  /// Empty: any.
  std::string handler = {};
  /// Several statuses in place of `status`, n as bit n; 0: `status` counts.
  std::int32_t one_of = 0;
  /// Pattern of LIKE for the trigger message; empty: any.
  std::string note = {};
  /// Kinds of triggers, n as bit n; 0: any.
  std::int32_t kinds = 0;
  /// Without a slash at its end; empty: any.
  std::string address = {};
  /// Shortest duration of a run with a result; unset: any, also for open runs.
  std::optional<std::int64_t> min_seconds = {};
  /// Latest trigger time of open runs, as in the column. Counts with `min_seconds` only; unset: no open runs.
  std::optional<std::string> open_until = {};
  /// Pattern of LIKE with the escape character `|` for messages; empty: any.
  std::string words = {};
  /// Pattern of `words` for trigger messages in our own form: matches after their fixed part.
  std::string words_after_note = {};

  /// Returns the value for `RINGMASTER_HAS_STATUS`.
  [[nodiscard]] std::int32_t chosen_status() const noexcept { return one_of != 0 ? -1 : static_cast<std::int32_t>(status); }
  [[nodiscard]] bool of_any_status() const noexcept { return one_of == 0 && status == core::run_status::any; }
  /// Returns true if no condition but those on ids, group, job and time is left.
  [[nodiscard]] bool of_any_kind() const noexcept {
    return of_any_status() && handler.empty() && note.empty() && kinds == 0 && address.empty() && !min_seconds && words.empty();
  }
  /// Returns true if all asked statuses are among these, of which `bits` has the bits.
  [[nodiscard]] bool only_of(std::int32_t bits) const noexcept {
    const auto asked = one_of != 0 ? one_of : 1 << static_cast<std::int32_t>(status);
    return (asked & ~bits) == 0;
  }
};

/// Returns statuses as bits, n as bit n.
[[nodiscard]] std::int32_t status_bits(const std::vector<core::run_status>& statuses) noexcept;

/// Returns the search with the latest trigger time that its `min_duration` implies, if it asks for open runs alone.
[[nodiscard]] core::run_search narrowed(const core::run_search& search);

/// Returns the pattern of trigger messages that name `origin`.
[[nodiscard]] std::string note_of_origin(core::log_id origin);

/// The log of a backend. Lives for one transaction or one read.
class run_paths {
public:
  virtual ~run_paths() = default;

  struct glance {
    core::log_id last{};
    /// Value as in the column.
    std::string newest;
  };
  struct stretch {
    /// Newest first.
    std::vector<core::log_id> ids;
    /// No row at or below this id was read, because there were too many; empty: all were read.
    std::optional<core::log_id> floor;
  };

  [[nodiscard]] virtual core::log_span span() = 0;
  /// Returns the last id and the newest time of the next `glance_rows` rows with a time, from `id` on.
  [[nodiscard]] virtual std::optional<glance> look_at(core::log_id id) = 0;
  [[nodiscard]] virtual bool has(run_path path) const = 0;
  /// Returns rows of the range that meet the terms, newest first, until `limit` are found. For any path except `primary`. Reads
  /// at most the newest `rows` rows of the range.
  [[nodiscard]] virtual stretch look_along(run_path path, const run_terms& terms, const core::log_range& range,
                                           std::size_t limit, std::int64_t rows) = 0;
  /// Returns the same from all rows of the range; for `primary`, `job` and `group` only.
  [[nodiscard]] virtual std::vector<core::log_id> newest(run_path path, const run_terms& terms, const core::log_range& range,
                                                         std::size_t limit) = 0;
  /// Returns rows of the range, oldest first; for `primary`, `job` and `group` only.
  [[nodiscard]] virtual std::vector<core::log_id> oldest(run_path path, const run_terms& terms, const core::log_range& range,
                                                         std::size_t limit) = 0;
  /// Returns jobs of the groups in the terms, ascending.
  [[nodiscard]] virtual std::vector<core::job_id> jobs_of(const run_terms& terms, std::size_t limit) = 0;
};

/// Returns whether the path decides all conditions, so that only the index is read.
[[nodiscard]] bool said_by_path(run_path path, const run_terms& terms) noexcept;

/// Number of rows that are sampled to determine the time at an id: some are late by hours, because they repeat others.
inline constexpr std::int64_t glance_rows = 64;

struct found_runs {
  /// Newest first.
  std::vector<core::log_id> ids;
  std::int64_t total = 0;
  bool total_is_capped = false;
  /// Whether there are as many rows as the window asks for.
  bool is_full = false;
  /// See `core::run_list`.
  std::optional<core::log_id> rest = {};
  std::optional<core::time_point> searched_to = {};
};

/// Returns `forbidden` unless `by` may see the requested group, and that of the requested job.
[[nodiscard]] core::result<void> check_groups(std::optional<core::group_id> group, std::optional<core::group_id> group_of_job,
                                              const core::principal& by);

/// Returns the conditions of a search. `group_of_job`: group of the requested job, if a job is requested. Errors: `forbidden`.
[[nodiscard]] core::result<run_terms> terms_of(const core::run_search& search, std::optional<core::group_id> group_of_job,
                                               const core::principal& by, datetime_text& dates);

/// Returns the ids outside which there is no run of these times, except late ones.
[[nodiscard]] core::log_range bounds_of(run_paths& log, std::optional<core::time_point> from,
                                        std::optional<core::time_point> until, datetime_text& dates);

/// Returns the path that skips the fewest rows.
[[nodiscard]] run_path best_path(const run_paths& log, const run_terms& terms);

/// See `run_reader::page`. `terms`: those of `search`. `totals`: caches for a while that there were too many rows to count.
[[nodiscard]] found_runs find_runs(run_paths& log, const run_terms& terms, const core::run_search& search, std::size_t count_max,
                                   datetime_text& dates, seen_totals& totals);

} // namespace ringmaster::storage
