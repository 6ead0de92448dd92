#pragma once

// The pure part of `deploy_store::apply`: from what the store holds and what a source declares to a report and a list of writes.
// The backends read the state under the lock row, ask, make sure that no claim has moved a schedule that the plan writes
// since it was read, and write exactly what the plan says.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/declared.hpp"
#include "core/ids.hpp"
#include "core/job/group.hpp"
#include "core/result.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "storage/rows/column_limits.hpp"

namespace ringmaster::storage {

struct held_group {
  core::group_id id{};
  std::string app_name;
  std::string title;
  core::address_type type = core::address_type::automatic;
  /// `xxl_job_group.address_list`; empty for NULL.
  std::string address_list;
  /// `rm_group_ext.source`; empty: made by hand.
  std::string source;
  /// How many jobs of the group no source declares: prune leaves such a group.
  std::size_t jobs_made_by_hand = 0;
  friend bool operator==(const held_group&, const held_group&) = default;
};

/// Groups as edits leave them: without what their jobs and the registry write.
[[nodiscard]] std::vector<held_group> edited_part(std::vector<held_group> groups);

/// What a declaration says about a job, as the columns hold it. Enumerations are their stored names.
struct job_columns : core::job_options {
  std::string name;
  std::string author;
  std::string alarm_email;
  std::string schedule_type;
  std::string schedule_conf;
  std::string misfire;
  std::string route;
  std::string block;
  std::string handler;
  std::string params;
  std::string glue_type;
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  friend bool operator==(const job_columns&, const job_columns&) = default;
};

/// A job with a row in `rm_job_ext`, of any source.
struct held_job {
  core::job_id id{};
  core::group_id group{};
  std::string key;
  std::string source;
  std::string hash;
  job_columns columns;
  std::string child_jobs;
  /// `trigger_status`.
  bool running = false;
  /// A user stopped it, and nobody has started it since: `rm_stop`.
  bool stopped_manually = false;
  /// The last claimed instant, `rm_schedule.last_ms`; the epoch when there was none.
  core::time_point last{};
};

/// All groups, all declared jobs, the source's row of `rm_deploy`, and what the columns hold.
struct deploy_state {
  column_limits limits = {};
  /// Java admins plan these jobs, too.
  bool shared = false;
  std::optional<std::int64_t> revision;
  /// Of the source: names of the files that its applies had, sorted.
  std::vector<std::string> files = {};
  std::vector<held_group> groups;
  std::vector<held_job> jobs;
};

/// An id that the store has, or the position of the write that will create it.
template <class Id>
struct existing_or_new {
  std::optional<Id> id;
  std::size_t position = 0;
};

struct group_write {
  core::change_kind kind = core::change_kind::create;
  /// Of the group to update or remove.
  core::group_id id{};
  std::string app_name;
  std::string title;
  core::address_type type = core::address_type::automatic;
  /// Nothing: the column stays as it is (NULL in a new row).
  std::optional<std::string> address_list;
  /// `deploy_report::changes` has it under this name.
  std::string object = {};
};

/// The schedule's part of a job write: `rm_schedule` and the mirror in `xxl_job_info`.
struct schedule_write {
  bool running = false;
  /// Nothing when not running. Of a new job whose instants depend on its id, `next_of` says it.
  std::optional<core::time_point> next;
  /// Of a running job: what `next` was computed with, and from where.
  std::shared_ptr<const core::schedule> rule = nullptr;
  core::time_point from{};
  /// The last claimed instant as the plan was told of it.
  core::time_point last{};

  [[nodiscard]] bool depends_on_id() const { return rule && !rule->same_for_all(); }
};

struct job_write {
  core::change_kind kind = core::change_kind::create;
  /// Of the job to update or remove.
  core::job_id id{};
  /// Position: in `deploy_plan::groups`. Only read for a new job.
  existing_or_new<core::group_id> group;
  std::string key;
  std::string hash;
  job_columns columns;
  /// It had another `glue_type` before.
  bool new_glue = false;
  /// The file says now whether it runs: the row of `rm_stop` goes.
  bool ends_manual_stop = false;
  /// It ran when the plan was made. Where `schedule` is nothing, that must still be so.
  bool was_running = false;
  /// Position: in `deploy_plan::jobs`.
  std::vector<existing_or_new<core::job_id>> children;
  /// Nothing: next time, last instant and status stay as they are. A write with a schedule also deletes the job's waiting `cron`
  /// intents. `last_ms` is written for a new job (0), and where only a wrong clock can have written it.
  std::optional<schedule_write> schedule;
  /// `deploy_report::changes` has it under this name.
  std::string object = {};
};

/// Only what is to be written: groups first, then jobs in two passes (rows, then `child_jobid`, which needs the new ids),
/// removals last. Every created, updated and removed job takes one number of `rm_edit` of its own, in order; created and updated
/// jobs keep it as their revision, so that a reader of edits may stop between two of them.
struct deploy_plan {
  core::deploy_report report;
  std::vector<group_write> groups;
  std::vector<job_write> jobs;
  /// The revision to store for the source; nothing: leave `rm_deploy`.
  std::optional<std::int64_t> revision;
  /// The files of the source from now on; nothing: leave `rm_source_file`.
  std::optional<std::vector<std::string>> files = {};
};

/// What applying `declared` does. Next times are computed from max(now, last claimed instant) in `schedule_zone`, and only when a
/// job is new, its schedule changed or it is started; a job that a user stopped stays so until
/// the declaration changes `enabled`. Errors: `conflict`
/// (foreign object, lower revision), `invalid_argument` with `where` (unknown group or child, duplicate key, a value longer than
/// its column, a schedule that does not parse or, enabled, can never fire).
[[nodiscard]] core::result<deploy_plan> plan_deploy(const deploy_state& held, const core::declared_set& declared, bool prune,
                                                    core::time_point now, const core::zone& schedule_zone);

/// The first instant of a running job's new schedule after `from`. Errors: `invalid_argument` when there is none.
[[nodiscard]] core::result<core::time_point> planned_after(const job_write& job, core::time_point from);

/// Moves new schedules whose next time lies before `now` on: it took a while to get the plan ready for its writing. Errors:
/// `invalid_argument` for one that does not fire again.
[[nodiscard]] core::result<void> plan_later(deploy_plan& plan, core::time_point now);

/// When the job `id` fires next by this write; nothing: it does not run.
[[nodiscard]] std::optional<core::time_point> next_of(const schedule_write& write, core::job_id id);

/// The row of one change; `id`: of its object.
[[nodiscard]] core::audit_row audit_of(const core::deploy_change& change, core::audit_object kind, std::int32_t id,
                                       const std::string& source, const core::principal& by, core::time_point now);

/// One row a change of a group or a job that the plan writes; `groups` and `jobs`: the ids of the writes, in their order.
[[nodiscard]] std::vector<core::audit_row> audit_of(const deploy_plan& plan, std::span<const core::group_id> groups,
                                                    std::span<const core::job_id> jobs, const std::string& source,
                                                    const core::principal& by, core::time_point now);

/// The text of `child_jobid` once the new rows have ids: `ids[i]` is the id of `deploy_plan::jobs[i]`.
[[nodiscard]] std::string child_jobs_text(const job_write& write, std::span<const core::job_id> ids);

} // namespace ringmaster::storage
