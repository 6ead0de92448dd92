#pragma once

// The pure part of `deploy_store::apply`: computes a report and a list of writes from the stored state and the declarations of a
// source. The backends read the state under the lock row, compute the plan, check that no claim has moved a schedule that the
// plan writes since it was read, and write exactly what the plan contains.

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
#include "core/rules/column_limits.hpp"
#include "core/rules/held_elastic_job.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

struct held_group {
  group_id id{};
  std::string app_name;
  std::string title;
  address_type type = address_type::automatic;
  /// `xxl_job_group.address_list`; empty for NULL.
  std::string address_list;
  /// `rm_group_ext.source`; empty: not declared.
  std::string source;
  /// Number of jobs in the group that no source declares: prune keeps such a group.
  std::size_t jobs_made_by_hand = 0;
  friend bool operator==(const held_group&, const held_group&) = default;
};

/// Returns groups without the parts that their jobs and the registry write.
[[nodiscard]] std::vector<held_group> edited_part(std::vector<held_group> groups);

/// A job's declaration as column values. Enumerations are their stored names.
struct job_columns : job_options {
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
  job_id id{};
  group_id group{};
  std::string key;
  std::string source;
  std::string hash;
  job_columns columns;
  std::string child_jobs;
  /// Whether the job runs: `trigger_status`.
  bool running = false;
  /// Whether a user stopped it, without a start since: `rm_stop`.
  bool stopped_manually = false;
  /// The last claimed instant, `rm_schedule.last_ms`; the epoch when there was none.
  time_point last{};
};

/// All groups, all declared jobs, all elastic jobs, the source's row of `rm_deploy`, and what the columns hold.
struct deploy_state {
  column_limits limits = {};
  /// Whether Java admins plan these jobs, too.
  bool shared = false;
  std::optional<std::int64_t> revision;
  /// Names of the files of the source's earlier applies, sorted.
  std::vector<std::string> files = {};
  std::vector<held_group> groups;
  std::vector<held_job> jobs;
  /// Those of all owners, because they keep their groups.
  std::vector<held_elastic_job> elastic_jobs = {};
};

/// An id of the store, or the position of the write that will create it.
template <class Id>
struct existing_or_new {
  std::optional<Id> id;
  std::size_t position = 0;
};

struct group_write {
  change_kind kind = change_kind::create;
  /// Id of the group to update or remove.
  group_id id{};
  std::string app_name;
  std::string title;
  address_type type = address_type::automatic;
  /// Empty: the column stays unchanged (NULL in a new row).
  std::optional<std::string> address_list;
  /// The object's name in `deploy_report::changes`.
  std::string object = {};
};

/// The schedule's part of a job write: `rm_schedule` and the mirror in `xxl_job_info`.
struct schedule_write {
  bool running = false;
  /// Empty when not running. For a new job whose instants depend on its id, `next_of` returns the time.
  std::optional<time_point> next;
  /// For a running job: the schedule that `next` was computed with, and the start of the computation.
  std::shared_ptr<const schedule> rule = nullptr;
  time_point from{};
  /// The last claimed instant when the plan was made.
  time_point last{};

  [[nodiscard]] bool depends_on_id() const { return rule && !rule->same_for_all(); }
};

struct job_write {
  change_kind kind = change_kind::create;
  /// Id of the job to update or remove.
  job_id id{};
  /// Position: in `deploy_plan::groups`. Only read for a new job.
  existing_or_new<group_id> group;
  std::string key;
  std::string hash;
  job_columns columns;
  /// Whether it had another `glue_type` before.
  bool new_glue = false;
  /// Whether the declaration changes `enabled`: the row of `rm_stop` is deleted.
  bool ends_manual_stop = false;
  /// Whether it ran when the plan was made. Without a `schedule`, this must still hold at the write.
  bool was_running = false;
  /// Position: in `deploy_plan::jobs`.
  std::vector<existing_or_new<job_id>> children;
  /// Empty: next time, last instant and status stay unchanged. A write with a schedule also deletes the job's waiting `cron`
  /// intents. `last_ms` is written for a new job (0), and where only a wrong clock can have written it.
  std::optional<schedule_write> schedule;
  /// The object's name in `deploy_report::changes`.
  std::string object = {};
};

/// Changes only: groups first, then jobs in two passes (rows, then `child_jobid`, which needs the new ids), removals last. Every
/// created, updated and removed job takes its own number of `rm_edit`, in order; created and updated jobs keep it as their
/// revision, so that a reader of edits may stop between two of them.
struct deploy_plan {
  deploy_report report;
  std::vector<group_write> groups;
  std::vector<job_write> jobs;
  /// The revision to store for the source; empty: leave `rm_deploy` unchanged.
  std::optional<std::int64_t> revision;
  /// The files of the source from now on; empty: leave `rm_source_file` unchanged.
  std::optional<std::vector<std::string>> files = {};
};

/// Plans the application of `declared`. Computes next times from max(now, last claimed instant) in `schedule_zone`, and only when
/// a job is new, its schedule changed or it is started. A job that a user stopped stays stopped until the declaration changes
/// `enabled`. Errors: `conflict` (foreign object, lower revision), `invalid_argument` with `where` (unknown group or child,
/// duplicate key, a value longer than its column, an invalid schedule or an enabled one that can never fire).
[[nodiscard]] result<deploy_plan> plan_deploy(const deploy_state& held, const declared_set& declared, bool prune, time_point now,
                                              const zone& schedule_zone);

/// Returns the first instant of a running job's new schedule after `from`. Errors: `invalid_argument` when there is none.
[[nodiscard]] result<time_point> planned_after(const job_write& job, time_point from);

/// Advances new schedules whose next time lies before `now`, because preparing the plan took a while. Errors: `invalid_argument`
/// for a schedule that does not fire again.
[[nodiscard]] result<void> plan_later(deploy_plan& plan, time_point now);

/// Returns when the job `id` fires next after this write; empty if it does not run.
[[nodiscard]] std::optional<time_point> next_of(const schedule_write& write, job_id id);

/// Returns the row of one change; `id`: id of its object.
[[nodiscard]] audit_row audit_of(const deploy_change& change, audit_object kind, std::int32_t id, const std::string& source,
                                 const principal& by, time_point now);

/// Returns one row per change of a group or a job that the plan writes; `groups` and `jobs`: the ids of the writes, in their
/// order.
[[nodiscard]] std::vector<audit_row> audit_of(const deploy_plan& plan, std::span<const group_id> groups,
                                              std::span<const job_id> jobs, const std::string& source, const principal& by,
                                              time_point now);

/// Returns the text of `child_jobid` once the new rows have ids: `ids[i]` is the id of `deploy_plan::jobs[i]`.
[[nodiscard]] std::string child_jobs_text(const job_write& write, std::span<const job_id> ids);

} // namespace ringmaster::core
