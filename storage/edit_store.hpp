#pragma once

// Edits and views of jobs, groups and runs for pages and forms. Roles of the store; errors and threads are described in
// storage/store.hpp. Every edit checks the permission of `by` in the group of the stored object and writes its audit row, both in
// its own transaction.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/group_find.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/editing/job_draft.hpp"
#include "core/editing/job_list.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/run_search.hpp"

namespace ringmaster::storage {

/// Jobs as users edit them (firing protocol §7: after an edit commits, no claim of the old definition succeeds).
class job_editor {
public:
  virtual ~job_editor() = default;

  /// Adds a stopped job. Errors: `core::check`; `forbidden` unless `by` is editor in its group; `invalid_argument` with
  /// `too_long`.
  virtual core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// Changes a job. `seen`: `core::edit_tag` of the job as `by` knows it; a later edit by any user is a conflict. Empty: no
  /// check.
  /// Keeps source, kind of source and status. Recomputes the next time only when the schedule changed, from max(now, the last
  /// claimed instant). Errors: as `add`, with the permission checked in the job's old and new group; `not_found`; `conflict` for
  /// a later edit or a declared job.
  virtual core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft,
                                              std::string_view seen, const core::principal& by, core::time_point now) = 0;

  /// Stores a new source and adds it to the history, which keeps the newest `source_versions_max`. `seen`: `core::source_tag` of
  /// the source as `by` knows it; a later source of any user is a conflict. Unset: no check. Errors: `not_found`, `forbidden`,
  /// `invalid_argument` (not_glue, source_empty, remark_empty, remark_length, remark_illegal, too_long), `conflict` for a later
  /// source or a declared job.
  virtual core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                                   std::optional<std::string_view> seen, const core::principal& by,
                                                   core::time_point now) = 0;

  /// Errors: `not_found` with `job_id_illegal`; `forbidden` unless `by` is viewer.
  virtual core::result<core::job_record> read(core::job_id job, const core::principal& by) = 0;

  /// Returns a page of jobs. Users without permission to see all groups get the jobs of their own groups. Ends early where the
  /// texts of the rows are long (`core::page_text_bytes`): the next page begins after the last returned row. Errors: `forbidden`
  /// when `by` may not see the requested group.
  virtual core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) = 0;

  /// Returns the same with facts about each job, in `search.order`. Errors as `page`, and `invalid_argument` for an order by a
  /// value when more than `core::sorted_jobs_max` jobs match, and for `last_statuses` when the last runs of more than
  /// `core::last_runs_max` jobs would have to be looked up one by one, or the log has no index on jobs.
  virtual core::result<core::job_list> list(const core::job_search& search, const core::principal& by) = 0;

  /// Returns the running jobs that are due first, at most `limit`, by next time and then by id; without facts and total. Errors
  /// as `page`.
  virtual core::result<core::job_list> soonest(const std::optional<core::group_id>& group, std::size_t limit,
                                               const core::principal& by) = 0;

  /// Returns the selected versions, newest first, as many as fit into one answer (`core::page_text_bytes`). Errors as `read`, and
  /// `not_found` for a selected version that does not exist.
  virtual core::result<core::source_history> source_history(const core::source_search& search, const core::principal& by) = 0;
};

/// Executor groups as administrators edit them. Every edit returns `forbidden` for non-administrators.
class group_editor {
public:
  virtual ~group_editor() = default;

  /// Errors: `core::check` of the draft; `conflict` with `app_name_repeated`.
  virtual core::result<core::group_id> add(const core::group_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// Changes a group. The address list of an automatic group is left to the registry; a group that becomes automatic gets the
  /// addresses registered now.
  /// `seen`: `core::edit_tag` of the group as `by` knows it; a later edit by any user is a conflict. Empty: no check.
  /// Errors: as `add`; `not_found` with `group_illegal`; `conflict` for a later edit or a declared group.
  virtual core::result<void> update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                                    const core::principal& by, core::time_point now) = 0;

  /// Removes a group with its registrations. `seen` as above. Succeeds if the group is already gone. Errors: `conflict`
  /// (group_in_use, last_group, declared, a later edit).
  virtual core::result<void> remove(core::group_id group, std::string_view seen, const core::principal& by,
                                    core::time_point now) = 0;

  /// Errors: `not_found`; `forbidden` unless `by` is viewer in it.
  virtual core::result<core::group_record> read(core::group_id group, const core::principal& by) = 0;

  /// Returns groups in ascending order of app name, then title, then id. Errors: `forbidden` for non-administrators.
  virtual core::result<core::page<core::group_record>> page(const core::group_search& search, const core::principal& by) = 0;

  /// Returns the groups in which `by` is viewer, in the same order.
  virtual core::result<std::vector<core::group_record>> visible(const core::principal& by) = 0;

  /// Returns the figures of each of these groups, in their order. Checks no permission.
  virtual core::result<std::vector<core::group_figures>> figures(const std::vector<core::group_id>& groups) = 0;
};

/// Runs in pages. Each read covers a bounded part of the log, regardless of its length.
class run_reader {
public:
  virtual ~run_reader() = default;

  /// Approximate maximum number of rows that one call reads sequentially.
  static constexpr std::int64_t rows_looked_at = 100'000;
  /// Maximum number of rows that one call fetches one by one through an index: each costs as much as ten or twenty sequential
  /// rows.
  static constexpr std::int64_t rows_fetched = 5'000;
  /// Maximum number of rows whose messages one call searches.
  static constexpr std::int64_t rows_searched = 20'000;

  /// Returns a page of runs and counts up to `count_max`. If no index leads to the requested rows, it reads only the newest
  /// `rows_looked_at` rows within the bounds; for the runs of a job or a group, or failed runs, only the newest `rows_fetched`;
  /// for words in messages, only the newest `rows_searched`. Older rows are not counted: `total_is_capped`. `rest` tells where
  /// the search may be continued. Without `search.before`, the page may also have older rows at or below `rest`, to which an
  /// index leads.
  /// With `search.ids`, returns those of them that `by` may see, and no other condition counts.
  /// `search.visible` is set from `by`, unless `by` may see all: users who may not see all get the runs of their groups. Errors:
  /// `forbidden` when `by` may not see the requested group (or the group of the requested job).
  virtual core::result<core::run_list> page(const core::run_search& search, std::size_t count_max,
                                            const core::principal& by) = 0;

  /// Errors: `not_found` with `run_id_illegal`; `forbidden` unless `by` has `wanted` in its group.
  virtual core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) = 0;

  /// Returns the names of the jobs and groups of these rows that exist and that `by` may see.
  virtual core::result<core::run_names> names(const std::vector<core::log_row>& rows, const core::principal& by) = 0;

  /// Returns the runs around one run that `by` may see, from what trigger messages tell. Retries and children are searched among
  /// the runs of 10 minutes after the end of the run that they repeat or follow, and children among the present children of its
  /// job. Texts in the format of a Java admin, in shared mode our own too, name no origin: their retries, children and parents
  /// cannot be told. Errors: as `read`, with the right of a viewer.
  virtual core::result<core::related_runs> related(core::log_id run, const core::principal& by) = 0;

  /// Writes to the audit log that `by` ends a run, and the message. Returns false, and writes nothing, if the run has a result.
  /// The result itself is recorded by the firing path (`firing_store::record`: a failure like any other, with retry and alarm).
  /// Errors as `read`.
  virtual core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                                     core::time_point now) = 0;

  /// Performs one step of removing runs with their dependent rows, at most `limit` runs; runs of open claims stay. The first step
  /// (empty `from`) removes nothing: it determines the range and writes the audit row. Errors: `forbidden` unless `by` is editor
  /// in the group (of the job, when no group is named), or administrator for all groups.
  virtual core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                               std::size_t limit, const core::principal& by, core::time_point now) = 0;

  /// Returns the rows of the daily report from `from` to before `to`, ascending.
  virtual core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) = 0;

  /// Maximum number of ids in the range of a report that is counted from the log.
  static constexpr std::int64_t rows_counted = 200'000;

  /// Counts the runs of each hour or day of the database's zone that begins in the range, ascending, with their median duration.
  /// Hours and days without runs count, too. Errors: `forbidden` as `page`; `invalid_argument` for a range with more than
  /// `rows_counted` ids, or with more than `rows_searched` runs of the job.
  virtual core::result<std::vector<core::day_report>> count(const core::report_search& search, const core::principal& by) = 0;
};

} // namespace ringmaster::storage
