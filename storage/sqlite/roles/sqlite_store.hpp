#pragma once

// The roles of the store on one SQLite connection. Each method is one transaction; its SQL is next to its use.

#include <memory>
#include <optional>

#include "storage/open.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/rows/seen_totals.hpp"
#include "storage/sqlite/driver/connection.hpp"
#include "storage/sqlite/roles/access.hpp"
#include "storage/sqlite/roles/alarms.hpp"
#include "storage/sqlite/roles/exports.hpp"
#include "storage/sqlite/roles/kept_logs.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// State shared by the roles.
struct session {
  std::unique_ptr<connection> db;
  datetime_text dates;
  core::zone schedule_zone;
  /// Language of texts stored for users.
  core::language reader = core::language::en;
};

/// The firing path (`claim.cpp`, `record.cpp`, `adopt.cpp`, `sweep.cpp`, `jobs.cpp`).
class firings final : public firing_store {
public:
  explicit firings(session& session) : session_{session} {}

  core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after,
                                                           std::size_t limit) override;
  core::result<std::int64_t> last_revision() override;
  core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                             core::job_id after) override;
  core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) override;
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override;
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override;
  core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) override;
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override;
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner, std::span<const core::resend> runs) override;
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override;
  core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) override;

private:
  session& session_;
  /// Every row up to this id was seen resolved: the sweep continues after it. Empty before the first sweep.
  std::optional<core::log_id> swept_;
};

/// Nodes (`cluster.cpp`).
class cluster final : public cluster_store {
public:
  explicit cluster(session& session) : session_{session} {}

  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                      const core::entry_terms& entry) override;
  core::result<void> beat(const core::node_incarnation& life, std::int64_t beat, core::time_point wall) override;
  core::result<std::vector<core::node_row>> nodes() override;
  core::result<core::cluster_view> view() override;
  core::result<core::log_id> raise_run_ids(core::log_id highest) override;
  core::result<bool> fence(const core::node_row& seen) override;
  core::result<void> leave(const core::node_incarnation& life) override;

private:
  session& session_;
};

/// Registrations (`registry.cpp`).
class registry final : public registry_store {
public:
  explicit registry(session& session) : session_{session} {}

  core::result<core::registry_state> read() override;
  core::result<void> write(const core::registry_batch& batch, core::time_point now) override;

private:
  session& session_;
};

/// Declared jobs (`deploys.cpp`, `deploy_state.cpp`).
class deploys final : public deploy_store {
public:
  explicit deploys(session& session) : session_{session} {}

  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override;

private:
  session& session_;
};

/// job_edits.cpp, job_finds.cpp
class jobs final : public job_store {
public:
  explicit jobs(session& session) : session_{session} {}

  core::result<core::job_edit> start(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::job_edit> stop(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::job_edit> count_again(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::intent> trigger(const core::manual_trigger& request, core::time_point now,
                                     const core::principal& by) override;
  core::result<asked_runs> runs_of(core::intent_id intent, const core::principal& by) override;
  core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                      const core::principal& by, std::string_view seen) override;
  core::result<core::log_removal> remove_logs(core::job_id job, core::log_id after, std::size_t limit) override;
  core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) override;
  core::result<core::scheduled_job> find(const core::job_name& name) override;

private:
  session& session_;
};

/// Edits and pages of jobs (`job_writes.cpp`, `job_pages.cpp`).
class job_writes final : public job_editor {
public:
  explicit job_writes(session& session) : session_{session} {}

  core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                      const core::principal& by, core::time_point now) override;
  core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                           const core::principal& by, core::time_point now) override;
  core::result<core::job_record> read(core::job_id job, const core::principal& by) override;
  core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) override;
  core::result<std::vector<core::source_version>> source_history(core::job_id job, const core::principal& by) override;

private:
  session& session_;
  seen_totals totals_;
};

/// Edits of groups (`group_writes.cpp`).
class group_writes final : public group_editor {
public:
  explicit group_writes(session& session) : session_{session} {}

  core::result<core::group_id> add(const core::group_draft& draft, const core::principal& by, core::time_point now) override;
  core::result<void> update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                            const core::principal& by, core::time_point now) override;
  core::result<void> remove(core::group_id group, std::string_view seen, const core::principal& by,
                            core::time_point now) override;
  core::result<core::group_record> read(core::group_id group, const core::principal& by) override;
  core::result<core::page<core::group_record>> page(const core::group_search& search, const core::principal& by) override;
  core::result<std::vector<core::group_record>> visible(const core::principal& by) override;

private:
  session& session_;
};

/// Log rows (`logs.cpp`).
class logs final : public log_store {
public:
  explicit logs(session& session) : session_{session} {}

  core::result<std::vector<core::log_row>> rows_after(core::log_id after, std::size_t limit) override;
  core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) override;
  using run_groups = core::result<std::vector<std::pair<core::log_id, core::group_id>>>;
  run_groups without_result(std::span<const core::log_id> ids) override;

private:
  session& session_;
};

/// Maintenance of the log (`log_maintenance.cpp`, `purge.cpp`).
class maintenance final : public maintenance_store {
public:
  explicit maintenance(session& session) : session_{session} {}

  core::result<core::log_span> span() override;
  core::result<core::log_id> last_before(core::time_point t) override;
  core::result<core::open_page> open_runs(const core::open_search& search) override;
  core::result<core::day_counts> count_runs(const core::log_range& range, const core::day_bounds& days) override;
  core::result<void> write_report(std::span<const core::day_report> days, core::time_point now) override;
  core::result<core::purge_outcome> purge(const core::purge_step& step) override;
  core::result<std::size_t> forget_taken_intents(core::time_point before, std::size_t limit) override;
  core::result<std::size_t> forget_orphans(std::size_t limit) override;
  core::result<std::size_t> purge_audits(core::time_point before, std::size_t limit) override;
  core::result<void> make_room() override { return {}; }
  core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                        std::span<const std::int64_t> claims) override;

private:
  session& session_;
};

/// The mirror (`mirror.cpp`).
class mirrors final : public mirror_store {
public:
  explicit mirrors(session& session) : session_{session} {}

  core::result<mirror_step> sync(core::job_id after, std::size_t limit, bool adopt, core::time_point now) override;

private:
  session& session_;
};

/// Pages and clearing of runs (`run_reads.cpp`, `run_clears.cpp`).
class run_reads final : public run_reader {
public:
  explicit run_reads(session& session) : session_{session} {}

  core::result<core::page<core::log_row>> page(const core::run_search& search, std::size_t count_max,
                                               const core::principal& by) override;
  core::result<core::log_row> read(core::log_id run, core::group_right wanted, const core::principal& by) override;
  core::result<bool> end_run(core::log_id run, std::string_view message, const core::principal& by,
                             core::time_point now) override;
  core::result<core::clear_step> clear(const core::clear_search& search, const std::optional<core::clear_place>& from,
                                       std::size_t limit, const core::principal& by, core::time_point now) override;
  core::result<std::vector<core::day_report>> report(core::time_point from, core::time_point to) override;

private:
  core::result<core::clear_step> begin_clear(const core::clear_search& search, const core::principal& by, core::time_point now);

  session& session_;
  seen_totals totals_;
};

class sqlite_store final : public store {
public:
  explicit sqlite_store(session opened) : session_{std::move(opened)} {}

  firing_store& firings() override { return firings_; }
  cluster_store& cluster() override { return cluster_; }
  registry_store& registry() override { return registry_; }
  deploy_store& deploys() override { return deploys_; }
  job_store& jobs() override { return jobs_; }
  job_editor& job_editing() override { return job_editing_; }
  group_editor& group_editing() override { return group_editing_; }
  log_store& logs() override { return logs_; }
  alarm_store& alarms() override { return alarms_; }
  maintenance_store& maintenance() override { return maintenance_; }
  mirror_store& mirror() override { return mirrors_; }
  run_reader& run_reading() override { return run_reads_; }
  user_store& users() override { return users_; }
  session_store& sessions() override { return sessions_; }
  api_key_store& api_keys() override { return api_keys_; }
  audit_store& audits() override { return audits_; }
  export_store& exports() override { return exports_; }
  kept_log_store& kept_logs() override { return kept_logs_; }
  core::result<void> ping() override;

private:
  session session_;
  sqlite::firings firings_{session_};
  sqlite::cluster cluster_{session_};
  sqlite::registry registry_{session_};
  sqlite::deploys deploys_{session_};
  sqlite::jobs jobs_{session_};
  job_writes job_editing_{session_};
  group_writes group_editing_{session_};
  sqlite::logs logs_{session_};
  sqlite::alarms alarms_{session_};
  sqlite::maintenance maintenance_{session_};
  sqlite::mirrors mirrors_{session_};
  sqlite::run_reads run_reads_{session_};
  sqlite::users users_{session_};
  sqlite::sessions sessions_{session_};
  sqlite::api_keys api_keys_{session_};
  sqlite::audits audits_{session_};
  sqlite::exports exports_{session_};
  sqlite::kept_logs kept_logs_{session_};
};

/// Returns whether `life` is the stored incarnation of its node: the guard of T1, T2, T6, T7 and of failures in T3.
[[nodiscard]] bool is_current(connection& db, const core::node_incarnation& life);

/// Returns the job, or nothing when it does not exist (`jobs.cpp`). Inside a transaction.
[[nodiscard]] std::optional<core::scheduled_job> find_job(session& own, core::job_id job);

/// See `maintenance_store::last_before`. Inside a transaction.
[[nodiscard]] core::log_id last_before(session& own, core::time_point t);

/// Returns the job, or nothing when it does not exist (`job_pages.cpp`). Inside a transaction.
[[nodiscard]] std::optional<core::job_record> find_record(session& own, core::job_id job);

/// Returns the error for an ended incarnation.
[[nodiscard]] core::error over(const core::node_incarnation& life);

/// Returns the runs of open claims in `range`, ascending (`purge.cpp`).
[[nodiscard]] std::vector<core::log_id> held_runs(connection& db, const core::log_range& range);

} // namespace ringmaster::storage::sqlite
