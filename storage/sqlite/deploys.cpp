// Applying declared groups, jobs and alarms: all or nothing, under SQLite's one write lock.

#include "storage/job_columns.hpp"
#include "storage/sqlite/alarm_rows.hpp"
#include "storage/sqlite/audit_row.hpp"
#include "storage/sqlite/deploy_sql.hpp"
#include "storage/sqlite/edit_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

using core::change_kind;

constexpr char insert_group[] =
  "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char own_group[] = "INSERT INTO rm_group_ext (group_id, source) VALUES (?1, ?2)";
constexpr char update_group[] = "UPDATE xxl_job_group SET title = ?2, address_type = ?3, "
                                "address_list = coalesce(?4, address_list), update_time = ?5 WHERE id = ?1";
constexpr char delete_group[] = "DELETE FROM xxl_job_group WHERE id = ?1";
constexpr char disown_group[] = "DELETE FROM rm_group_ext WHERE group_id = ?1";

constexpr char raise_edits_by[] = "UPDATE rm_edit SET counter = counter + ?1 WHERE id = 1";

constexpr char insert_job[] =
  "INSERT INTO xxl_job_info (job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, "
  "misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, "
  "executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, "
  "trigger_last_time, trigger_next_time) "
  "VALUES (?15, ?1, ?14, ?14, ?2, ?3, ?4, ?5, ?6, ?7, ?9, ?10, ?8, ?12, ?13, ?11, '', '', ?14, '', ?16, 0, ?17)";
constexpr char update_job[] =
  "UPDATE xxl_job_info SET job_desc = ?1, author = ?2, alarm_email = ?3, schedule_type = ?4, schedule_conf = ?5, "
  "misfire_strategy = ?6, executor_route_strategy = ?7, executor_block_strategy = ?8, executor_handler = ?9, "
  "executor_param = ?10, glue_updatetime = CASE glue_type WHEN ?11 THEN glue_updatetime ELSE ?14 END, glue_type = ?11, "
  "executor_timeout = ?12, executor_fail_retry_count = ?13, update_time = ?14 WHERE id = ?15";
constexpr char write_children[] = "UPDATE xxl_job_info SET child_jobid = ?2 WHERE id = ?1";
constexpr char delete_job[] = "DELETE FROM xxl_job_info WHERE id = ?1";
constexpr char delete_glue_history[] = "DELETE FROM xxl_job_logglue WHERE job_id = ?1";

constexpr char insert_schedule[] = "INSERT INTO rm_schedule (job, next_ms, last_ms, revision) VALUES (?1, ?3, 0, ?2)";
constexpr char mirror_deployed[] =
  "UPDATE xxl_job_info SET trigger_status = ?2, trigger_next_time = ?3, "
  "trigger_last_time = (SELECT last_ms FROM rm_schedule WHERE job = ?1) WHERE id = ?1";
constexpr char delete_schedule[] = "DELETE FROM rm_schedule WHERE job = ?1";

constexpr char insert_ext[] =
  "INSERT INTO rm_job_ext (job, source, job_key, content_hash, on_unknown, time_zone, interval_ms, start_at, end_at, jitter_ms, "
  "keep_logs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
constexpr char update_ext[] = "UPDATE rm_job_ext SET content_hash = ?2, on_unknown = ?3, time_zone = ?4, interval_ms = ?5, "
                              "start_at = ?6, end_at = ?7, jitter_ms = ?8, keep_logs = ?9 WHERE job = ?1";
constexpr char delete_mirror[] = "DELETE FROM rm_mirror WHERE job = ?1";
constexpr char delete_open_alarm[] = "DELETE FROM rm_alarm_open WHERE job = ?1";
constexpr char delete_ext[] = "DELETE FROM rm_job_ext WHERE job = ?1";

constexpr char delete_revision[] = "DELETE FROM rm_deploy WHERE source = ?1";
constexpr char insert_revision[] = "INSERT INTO rm_deploy (source, revision) VALUES (?1, ?2)";

class writing {
public:
  writing(session& session, const deploy_plan& plan, const std::string& source, const core::principal& by,
          core::time_point now)
    : db_{*session.db}, plan_{plan}, source_{source}, by_{by}, now_{now}, now_text_{session.dates.of(now)} {}

  void run() {
    for (const auto& group : plan_.groups)
      write(group);
    take_revisions();
    for (const auto& job : plan_.jobs)
      write(job);
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
      write_children_of(plan_.jobs[i], ids_[i]);
    if (plan_.revision) {
      db_.run(delete_revision, source_);
      db_.run(insert_revision, source_, *plan_.revision);
    }
    for (const auto& row : audit_of(plan_, group_ids_, ids_, source_, by_, now_))
      write_audit(db_, row);
  }

private:
  void write(const group_write& group) {
    auto id = group.id;
    auto type = static_cast<std::int32_t>(group.type);
    if (group.kind == change_kind::create) {
      db_.run(insert_group, group.app_name, group.title, type, group.address_list, now_text_);
      id = core::group_id{static_cast<std::int32_t>(db_.last_id())};
      db_.run(own_group, id, source_);
    } else if (group.kind == change_kind::update) {
      db_.run(update_group, id, group.title, type, group.address_list, now_text_);
    } else {
      // Nothing refers to it any more: its jobs go in this transaction.
      db_.run(delete_group, id);
      db_.run(disown_group, id);
    }
    group_ids_.push_back(id);
  }

  void take_revisions() {
    if (plan_.jobs.empty())
      return;
    db_.run(raise_edits_by, plan_.jobs.size());
    auto reading = db_.prepare(read_edits);
    if (reading.with().step())
      revision_ = reading.number(0) - static_cast<std::int64_t>(plan_.jobs.size());
  }

  void write(const job_write& job) {
    auto revision = ++revision_;
    if (job.kind == change_kind::create)
      return create(job, revision);
    if (job.kind == change_kind::update)
      update(job, revision);
    else
      remove(job.id);
    if (job.kind == change_kind::remove || job.schedule)
      db_.run(delete_waiting_cron, job.id);
    ids_.push_back(job.id);
  }

  void create(const job_write& job, std::int64_t revision) {
    const auto& c = job.columns;
    auto group = job.group.id ? *job.group.id : group_ids_.at(job.group.position);
    auto schedule = job.schedule.value_or(schedule_write{});
    auto next_ms = schedule.next ? core::to_ms(*schedule.next) : 0;
    db_.run(insert_job, c.name, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.block, c.handler,
            c.params, c.glue_type, c.timeout_s, c.retry_count, now_text_, group, schedule.running, next_ms);
    core::job_id id{static_cast<std::int32_t>(db_.last_id())};
    if (schedule.rule) {
      const auto first = next_of(schedule, id);
      next_ms = first ? core::to_ms(*first) : 0;
    }
    db_.run(insert_schedule, id, revision, next_ms);
    if (schedule.rule)
      db_.run(mirror_deployed, id, schedule.running, next_ms);
    const auto& t = c.timing;
    db_.run(insert_ext, id, source_, job.key, job.hash, c.on_unknown, text_or_null(t.time_zone), t.interval_ms, t.start_at,
            t.end_at, t.jitter_ms, on_or_null(c.keep_logs));
    ids_.push_back(id);
  }

  void update(const job_write& job, std::int64_t revision) {
    const auto& c = job.columns;
    db_.run(update_job, c.name, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.block, c.handler,
            c.params, c.glue_type, c.timeout_s, c.retry_count, now_text_, job.id);
    const auto& t = c.timing;
    db_.run(update_ext, job.id, job.hash, c.on_unknown, text_or_null(t.time_zone), t.interval_ms, t.start_at, t.end_at,
            t.jitter_ms, on_or_null(c.keep_logs));
    db_.run(ensure_schedule, job.id);
    db_.run(touch_schedule, job.id, revision);
    if (job.schedule) {
      auto next_ms = job.schedule->next ? core::to_ms(*job.schedule->next) : 0;
      db_.run(write_next, job.id, next_ms);
      db_.run(mirror_deployed, job.id, job.schedule->running, next_ms);
    }
  }

  /// A pass of its own: a child may be a job that the same plan creates.
  void write_children_of(const job_write& job, core::job_id id) {
    auto children = child_jobs_text(job, ids_);
    bool as_inserted = job.kind == change_kind::create && children.empty();
    if (job.kind != change_kind::remove && !as_inserted)
      db_.run(write_children, id, children);
  }

  void remove(core::job_id id) {
    for (const char* sql : {delete_job, delete_glue_history, delete_schedule, delete_ext, delete_mirror, delete_open_alarm})
      db_.run(sql, id);
  }

  connection& db_;
  const deploy_plan& plan_;
  const std::string& source_;
  const core::principal& by_;
  core::time_point now_;
  std::string now_text_;
  std::vector<core::group_id> group_ids_;
  std::vector<core::job_id> ids_;
  std::int64_t revision_ = 0;
};

} // namespace

void write_deploy_plan(session& session, const deploy_plan& plan, const std::string& source, const core::principal& by,
                       core::time_point now) {
  writing{session, plan, source, by, now}.run();
}

core::result<core::deploy_report> deploys::apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                 core::time_point now, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  auto kind = dry_run ? transaction_kind::read : transaction_kind::write;
  return within(*session_.db, kind, [&](connection& db) -> core::result<core::deploy_report> {
    auto plan = plan_deploy(read_deploy_state(db, declared.source), declared, prune, now, session_.schedule_zone);
    if (!plan)
      return tl::unexpected{plan.error()};
    const auto alarms = plan_alarms(read_alarm_rules(db), read_deploy_state(db, declared.source), declared, prune);
    if (!alarms)
      return tl::unexpected{alarms.error()};
    plan->report.changes.insert(plan->report.changes.end(), alarms->changes.begin(), alarms->changes.end());
    if (!dry_run) {
      write_deploy_plan(session_, *plan, declared.source, by, now);
      write_alarm_rules(db, *alarms, declared.source);
      for (const auto& row : audit_of(*alarms, declared.source, by, now))
        write_audit(db, row);
    }
    return std::move(plan->report);
  });
}

} // namespace ringmaster::storage::sqlite
