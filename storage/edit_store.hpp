#pragma once

// What people write and read in pages and forms: jobs, groups, runs. Roles of the store (storage/store.hpp), where errors and
// threads are described. Every edit checks the right of `by` in the group of the stored object and writes its audit row, both in
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
#include "core/editing/manual_edits.hpp"
#include "core/editing/job_draft.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/run_search.hpp"

namespace ringmaster::storage {

/// Jobs as people write them (firing protocol §7: from an edit's commit on no claim of the old definition succeeds).
class job_editor {
public:
  virtual ~job_editor() = default;

  /// A stopped job. Errors: `core::check`; `forbidden` unless `by` is editor in its group; `invalid_argument` with `too_long`.
  virtual core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// `seen`: `core::edit_tag` of the job as `by` knows it; an edit since, by whomever, is a conflict. Empty: any.
  /// Keeps source, kind of source and status; the next time is computed
  /// anew only when the schedule changed, from max(now, the last claimed instant). Errors: as `add`, the right being asked in the
  /// group that it has and in the one that it gets; `not_found`; `conflict` for an edit since or a declared job.
  virtual core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft,
                                              std::string_view seen, const core::principal& by, core::time_point now) = 0;

  /// Keeps a new source, and it in the history, which keeps the newest `source_versions_max`. Errors: `not_found`, `forbidden`,
  /// `invalid_argument` (not_glue, source_empty, remark_empty, remark_length, remark_illegal, too_long), `conflict` for a
  /// declared job.
  virtual core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                                   const core::principal& by, core::time_point now) = 0;

  /// Errors: `not_found` with `job_id_illegal`; `forbidden` unless `by` is viewer.
  virtual core::result<core::job_record> read(core::job_id job, const core::principal& by) = 0;

  /// Errors: `forbidden` when `by` may not see the group that is asked for. Who may not see all gets those of his groups.
  /// Ends early where the texts of the rows are long (`core::page_text_bytes`): the next page begins behind the rows that came.
  virtual core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) = 0;

  /// Newest first, as far as one answer holds them (`core::page_text_bytes`). Errors as `read`.
  virtual core::result<std::vector<core::source_version>> source_history(core::job_id job, const core::principal& by) = 0;
};

/// Executor groups as administrators write them. Every edit: `forbidden` for who is no administrator.
class group_editor {
public:
  virtual ~group_editor() = default;

  /// Errors: `core::check` of the draft; `conflict` with `app_name_repeated`.
  virtual core::result<core::group_id> add(const core::group_draft& draft, const core::principal& by, core::time_point now) = 0;

  /// An automatic group keeps its list for the registry to write; a group that becomes automatic gets what is registered now.
  /// `seen`: `core::edit_tag` of the group as `by` knows it; an edit since, by whomever, is a conflict. Empty: any.
  /// Errors: as `add`; `not_found` with `group_illegal`; `conflict` for an edit since or a declared group.
  virtual core::result<void> update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                                    const core::principal& by, core::time_point now) = 0;

  /// With its registrations. `seen` as above; who is gone already is no error. Errors: `conflict` (group_in_use, last_group,
  /// declared, an edit since).
  virtual core::result<void> remove(core::group_id group, std::string_view seen, const core::principal& by,
                                    core::time_point now) = 0;

  /// Errors: `not_found`; `forbidden` unless `by` is viewer in it.
  virtual core::result<core::group_record> read(core::group_id group, const core::principal& by) = 0;

  /// Ascending by app name, then title, then id. Errors: `forbidden` for who is no administrator.
  virtual core::result<core::page<core::group_record>> page(const core::group_search& search, const core::principal& by) = 0;

  /// Those in which `by` is viewer, in the same order.
  virtual core::result<std::vector<core::group_record>> visible(const core::principal& by) = 0;
};

/// Runs in pages. Reads look at a bounded part of the log, however long it is.
class run_reader {
public:
  virtual ~run_reader() = default;

  /// Rows that one call looks at, at most, or so: one behind the other.
  static constexpr std::int64_t rows_looked_at = 100'000;
  /// The same of rows to which an index leads one by one: each costs as much as ten or twenty in a row.
  static constexpr std::int64_t rows_fetched = 5'000;

  /// Counts `count_max` at most. Where no index leads to what is asked for it looks at the newest `rows_looked_at` of what the
  /// bounds allow, of a job, a group or failed runs at the newest `rows_fetched`; what may lie behind is not counted:
  /// `total_is_capped`.
  /// `search.visible` is taken from `by`, unless he may see all. Errors: `forbidden` when `by` may not see the group (or the
  /// job's) that is asked for. Who may not see all gets those of his groups.
  virtual core::result<core::page<core::log_row>> page(const core::run_search& search, std::size_t count_max,
                                                       const core::principal& by) = 0;

  /// Errors: `not_found` with `run_id_illegal`; `forbidden` unless `by` has `wanted` in its group.
  virtual core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) = 0;

  /// Writes down that somebody ends a run, and with which words. False: it has a result, and nothing is written. The result is
  /// the firing path's to record (`firing_store::record`: a failure like any other, with retry and alarm). Errors as `read`.
  virtual core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                                     core::time_point now) = 0;

  /// One step of removing runs, at most `limit`, with what belongs to them; runs of open claims stay. The first step (`from`
  /// nothing) removes nothing: it finds out where to begin and to end, and writes the audit row. Errors: `forbidden` unless `by`
  /// is editor in the group (of the job, when no group is named), or administrator for all of them.
  virtual core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                               std::size_t limit, const core::principal& by, core::time_point now) = 0;

  /// Rows of the day report from `from` to before `to`, ascending.
  virtual core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) = 0;
};

} // namespace ringmaster::storage
