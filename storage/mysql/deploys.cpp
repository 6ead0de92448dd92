#include "storage/mysql/deploys.hpp"

#include <unordered_map>
#include <utility>

#include <mysql/mysqld_error.h>

#include "storage/job_columns.hpp"
#include "storage/mysql/alarm_rows.hpp"
#include "storage/mysql/audit_row.hpp"
#include "storage/mysql/batches.hpp"
#include "storage/mysql/schedule_lock.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::change_kind;

/// Writes a plan inside its transaction.
class writing {
public:
  writing(session& own, const deploy_plan& plan, const std::string& source, const core::principal& by, core::cluster_mode mode,
          core::time_point now)
    : own_{own}, db_{own.db}, plan_{plan}, source_{source}, by_{by}, mode_{mode}, at_{now}, now_{own.dates.of(now)} {}

  core::result<void> run() {
    for (const auto& group : plan_.groups)
      try {
        write(group);
      } catch (const driver_error& failure) {
        if (failure.number() != ER_DUP_ENTRY)
          throw;
        return core::fail(core::errc::conflict, "group " + group.app_name
                                                  + ": the database takes the name of another group for the same (it compares "
                                                    "them without case)");
      }
    take_revisions();
    for (const auto& job : plan_.jobs)
      write(job);
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
      if (plan_.jobs[i].kind != change_kind::remove)
        db_.execute("UPDATE xxl_job_info SET child_jobid = ? WHERE id = ?", child_jobs_text(plan_.jobs[i], ids_), ids_[i]);
    if (plan_.revision)
      db_.execute("REPLACE INTO rm_deploy (source, revision) VALUES (?, ?)", source_, *plan_.revision);
    for (const auto& row : audit_of(plan_, group_ids_, ids_, source_, by_, at_))
      write_audit(db_, row);
    return {};
  }

private:
  void write(const group_write& group) {
    auto id = group.id;
    const auto type = static_cast<std::int32_t>(group.type);
    switch (group.kind) {
    case change_kind::create:
      id = db_.insert<core::group_id>(
        "INSERT INTO xxl_job_group (app_name, $group_title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)",
        group.app_name, group.title, type, group.address_list, now_);
      db_.execute("REPLACE INTO rm_group_ext (group_id, source) VALUES (?, ?)", id, source_);
      // An id that is given once more must not bring rights and tokens along.
      db_.execute("DELETE FROM rm_group_token WHERE group_id = ?", id);
      db_.execute("DELETE FROM rm_group_right WHERE group_id = ?", id);
      break;
    case change_kind::update:
      db_.execute(
        "UPDATE xxl_job_group SET $group_title = ?, address_type = ?, address_list = COALESCE(?, address_list), update_time = ? "
        "WHERE "
        "id = ?",
        group.title, type, group.address_list, now_, id);
      break;
    case change_kind::remove:
      // Nothing refers to it any more: its jobs go in this transaction.
      db_.execute("DELETE FROM xxl_job_group WHERE id = ?", id);
      db_.execute("DELETE FROM rm_group_ext WHERE group_id = ?", id);
      break;
    case change_kind::unchanged: break;
    }
    group_ids_.push_back(id);
  }

  void take_revisions() {
    if (!plan_.jobs.empty())
      revision_ = own_.take_revisions(plan_.jobs.size()) - 1;
  }

  void write(const job_write& job) {
    const auto revision = ++revision_;
    auto id = job.id;
    if (job.kind == change_kind::remove) {
      remove(id);
    } else {
      if (job.kind == change_kind::create)
        id = create(job);
      else
        update(job);
      db_.execute("INSERT INTO rm_schedule (job, revision) VALUES (?, ?) ON DUPLICATE KEY UPDATE revision = VALUES(revision)", id,
                  revision);
      if (job.schedule)
        write(id, *job.schedule);
    }
    // What is reserved stays where the schedule does: its next time has moved behind it already.
    if (job.kind == change_kind::remove || job.schedule)
      db_.execute("DELETE FROM rm_intent WHERE job = ? AND kind IN ('cron', 'misfire') AND state = 0", id);
    ids_.push_back(id);
  }

  core::job_id create(const job_write& job) {
    const auto& c = job.columns;
    const auto group = job.group.id ? *job.group.id : group_ids_.at(job.group.position);
    const auto id = db_.insert<core::job_id>(
      "INSERT INTO xxl_job_info (job_group, $job_name, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, "
      "misfire_strategy,"
      " executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, "
      "executor_fail_retry_count, glue_type,"
      " glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', ?, '', 0, 0, 0)",
      group, c.name, now_, now_, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.handler,
      c.params, c.block, c.timeout_s, c.retry_count, c.glue_type, now_);
    const auto& t = c.timing;
    db_.execute(
      "REPLACE INTO rm_job_ext (job, source, job_key, content_hash, on_unknown, time_zone, interval_ms, start_at, end_at,"
      " jitter_ms, keep_logs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      id, source_, job.key, job.hash, c.on_unknown, text_or_null(t.time_zone), t.interval_ms, t.start_at, t.end_at, t.jitter_ms,
      on_or_null(c.keep_logs));
    return id;
  }

  void update(const job_write& job) {
    const auto& c = job.columns;
    // Assignments run from left to right: the old glue_type still stands where glue_updatetime is decided.
    db_.execute(
      "UPDATE xxl_job_info SET $job_name = ?, author = ?, alarm_email = ?, schedule_type = ?, schedule_conf = ?, "
      "misfire_strategy "
      "= ?,"
      " executor_route_strategy = ?, executor_block_strategy = ?, executor_handler = ?, executor_param = ?,"
      " glue_updatetime = CASE glue_type WHEN ? THEN glue_updatetime ELSE ? END, glue_type = ?, executor_timeout = ?,"
      " executor_fail_retry_count = ?, update_time = ? WHERE id = ?",
      c.name, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.block, c.handler, c.params,
      c.glue_type, now_, c.glue_type, c.timeout_s, c.retry_count, now_, job.id);
    const auto& t = c.timing;
    db_.execute(
      "UPDATE rm_job_ext SET content_hash = ?, on_unknown = ?, time_zone = ?, interval_ms = ?, start_at = ?, end_at = ?,"
      " jitter_ms = ?, keep_logs = ? WHERE job = ?",
      job.hash, c.on_unknown, text_or_null(t.time_zone), t.interval_ms, t.start_at, t.end_at, t.jitter_ms,
      on_or_null(c.keep_logs), job.id);
  }

  void write(core::job_id id, const schedule_write& schedule) {
    const auto next = next_of(schedule, id);
    const auto next_ms = next ? core::to_ms(*next) : 0;
    if (mode_ == core::cluster_mode::shared)
      return write_shared_schedule(db_, id, schedule.running, next_ms);
    db_.execute("UPDATE rm_schedule SET next_ms = ? WHERE job = ?", next_ms, id);
    db_.execute("UPDATE xxl_job_info SET trigger_status = ?, trigger_next_time = ?,"
                " trigger_last_time = (SELECT last_ms FROM rm_schedule WHERE job = ?) WHERE id = ?",
                schedule.running, shown_next(db_, next_ms), id, id);
  }

  void remove(core::job_id id) {
    db_.execute("DELETE FROM xxl_job_info WHERE id = ?", id);
    db_.execute("DELETE FROM xxl_job_logglue WHERE job_id = ?", id);
    db_.execute("DELETE FROM rm_schedule WHERE job = ?", id);
    db_.execute("DELETE FROM rm_job_ext WHERE job = ?", id);
    db_.execute("DELETE FROM rm_mirror WHERE job = ?", id);
    db_.execute("DELETE FROM rm_alarm_open WHERE job = ?", id);
  }

  session& own_;
  connection& db_;
  const deploy_plan& plan_;
  const std::string& source_;
  const core::principal& by_;
  const core::cluster_mode mode_;
  const core::time_point at_;
  const std::string now_;
  std::vector<core::group_id> group_ids_;
  std::vector<core::job_id> ids_;
  std::int64_t revision_ = 0;
};

std::pair<deploy_state, core::result<deploy_plan>> planned(session& own, const core::declared_set& declared, bool prune,
                                                           core::time_point now) {
  auto held = read_deploy_state(own, declared.source);
  auto plan = plan_deploy(held, declared, prune, now, own.schedule_zone);
  return {std::move(held), std::move(plan)};
}

/// Locks the schedules, what is reserved, and then the jobs that the plan writes, in the order in which claims lock theirs.
/// False: a claim has moved one since `held` was read.
bool lock_schedules(connection& db, const deploy_state& held, const deploy_plan& plan) {
  std::unordered_map<std::int64_t, std::int64_t> last_ms;
  for (const auto& job : held.jobs)
    last_ms[core::number(job.id)] = core::to_ms(job.last);
  std::vector<core::job_id> jobs;
  for (const auto& job : plan.jobs)
    if (job.kind != change_kind::create)
      jobs.push_back(job.id);
  jobs = sorted(std::span<const core::job_id>{jobs});
  bool as_held = true;
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = db.prepare(
      "SELECT job, last_ms FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,}) ORDER BY job FOR UPDATE", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    for (auto found = some.select(); found.next();)
      as_held = as_held && found.number(1) <= last_ms[found.number(0)]; // they only grow
  }
  if (held.shared)
    lock_reserved(db, jobs);
  // The plan is in the order of the declaration, the mirror's writes are in that of the ids.
  for (const auto part : padded_chunks(jobs.size())) {
    auto& some = db.prepare("SELECT id FROM xxl_job_info FORCE INDEX (PRIMARY) WHERE id IN ({?,}) ORDER BY id FOR UPDATE",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(jobs[part.at(i)]);
    (void) some.select();
  }
  return as_held;
}

/// The lock on `rm_edit` keeps out edits, not claims: a claim between the read and the write would let a next time that is
/// computed from the old last instant come a second time (firing protocol §7.3). What was planned over such a claim is planned
/// again, with its locks held, so it ends.
core::result<deploy_plan> plan_under_locks(session& own, const core::declared_set& declared, bool prune, core::time_point now) {
  for (;;) {
    auto [held, plan] = planned(own, declared, prune, now);
    if (!plan || lock_schedules(own.db, held, *plan))
      return std::move(plan);
  }
}

} // namespace

core::result<core::deploy_report> deploy_role::apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                     core::time_point now, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  return own_.db.transact([&]() -> core::result<core::deploy_report> {
    // What edits write stays as read until the commit.
    const auto mode = dry_run ? read_mode(own_.db).map([](const auto& read) { return read.mode; }) : begin_edit(own_.db);
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto first = first_start(own_.db, *mode, now);
    auto plan = dry_run ? planned(own_, declared, prune, first).second : plan_under_locks(own_, declared, prune, first);
    if (!plan)
      return tl::unexpected{plan.error()};
    const auto alarms = plan_alarms(read_alarm_rules(own_.db), read_deploy_state(own_, declared.source), declared, prune);
    if (!alarms)
      return tl::unexpected{alarms.error()};
    plan->report.changes.insert(plan->report.changes.end(), alarms->changes.begin(), alarms->changes.end());
    if (!dry_run) {
      if (auto written = writing{own_, *plan, declared.source, by, *mode, now}.run(); !written)
        return tl::unexpected{written.error()};
      write_alarm_rules(own_.db, *alarms, declared.source);
      for (const auto& row : audit_of(*alarms, declared.source, by, now))
        write_audit(own_.db, row);
    }
    return std::move(plan->report);
  });
}

} // namespace ringmaster::storage::mysql
