// Writes declared groups, jobs and alarms: all or nothing, under SQLite's one write lock. Claims wait for it, so each job takes
// as few statements as possible.

#include "storage/sqlite/jobs/deploy_switch.hpp"

#include "core/schedule/last_instant.hpp"
#include "storage/elastic/deploys.hpp"
#include "storage/rows/job_option_row.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/firing/edit_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

using core::change_kind;

constexpr char list_held_groups[] =
  "SELECT g.id, g.app_name, g.title, g.address_type, g.address_list, x.source FROM xxl_job_group g "
  "LEFT JOIN rm_group_ext x ON x.group_id = g.id ORDER BY g.id";
constexpr char insert_group[] =
  "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char own_group[] = "INSERT INTO rm_group_ext (group_id, source) VALUES (?1, ?2)";
constexpr char update_group[] = "UPDATE xxl_job_group SET title = ?2, address_type = ?3, "
                                "address_list = coalesce(?4, address_list), update_time = ?5 WHERE id = ?1";
constexpr char delete_group[] = "DELETE FROM xxl_job_group WHERE id = ?1";
constexpr char disown_group[] = "DELETE FROM rm_group_ext WHERE group_id = ?1";

constexpr char insert_audit[] = "INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name,"
                                " changes, field_values) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
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
  "executor_timeout = ?12, executor_fail_retry_count = ?13, update_time = ?14, child_jobid = ?16, "
  "trigger_status = coalesce(?17, trigger_status), trigger_next_time = coalesce(?18, trigger_next_time), "
  "trigger_last_time = coalesce(?19, trigger_last_time) WHERE id = ?15 AND (?17 IS NOT NULL OR trigger_status = ?20)";
constexpr char write_children[] = "UPDATE xxl_job_info SET child_jobid = ?2 WHERE id = ?1";
// A claim since the plan was made is detected by the number of changed rows.
constexpr char write_schedule[] = "UPDATE rm_schedule SET revision = ?2, next_ms = ?3, "
                                 "last_ms = CASE WHEN last_ms > ?5 THEN ?6 ELSE last_ms END WHERE job = ?1 AND last_ms <= ?4";
constexpr char find_last[] = "SELECT last_ms FROM rm_schedule WHERE job = ?1";
constexpr char find_waiting_cron[] = "SELECT 1 FROM rm_intent WHERE state = 0 AND kind = 'cron' LIMIT 1";
constexpr char delete_job[] = "DELETE FROM xxl_job_info WHERE id = ?1";
constexpr char delete_glue_history[] = "DELETE FROM xxl_job_logglue WHERE job_id = ?1";

constexpr char insert_schedule[] = "INSERT INTO rm_schedule (job, next_ms, last_ms, revision) VALUES (?1, ?3, 0, ?2)";
constexpr char show_next[] = "UPDATE xxl_job_info SET trigger_next_time = ?2 WHERE id = ?1";
constexpr char delete_schedule[] = "DELETE FROM rm_schedule WHERE job = ?1";

constexpr char insert_ext[] = "INSERT INTO rm_job_ext (job, source, job_key, content_hash, " RINGMASTER_OPTION_NAMES
                              ") VALUES (?, ?, ?, ?, " RINGMASTER_OPTION_MARKS ")";
constexpr char update_ext[] = "UPDATE rm_job_ext SET content_hash = ?, " RINGMASTER_OPTION_SETTINGS " WHERE job = ?";
constexpr char delete_mirror[] = "DELETE FROM rm_mirror WHERE job = ?1";
constexpr char delete_open_alarm[] = "DELETE FROM rm_alarm_open WHERE job = ?1";
constexpr char delete_ext[] = "DELETE FROM rm_job_ext WHERE job = ?1";

constexpr char delete_revision[] = "DELETE FROM rm_deploy WHERE source = ?1";
constexpr char insert_revision[] = "INSERT INTO rm_deploy (source, revision) VALUES (?1, ?2)";

constexpr char delete_files[] = "DELETE FROM rm_source_file WHERE source = ?1";
constexpr char insert_file[] = "INSERT OR IGNORE INTO rm_source_file (source, file_name) VALUES (?1, ?2)";

class writing {
public:
  writing(session& own, admin_session& admin, deploy_writing& work)
    : db_{*own.db}, admin_{admin}, work_{work}, plan_{work.plan}, now_{work.now}, now_text_{own.dates.of(work.now)} {}

  core::result<void> run() {
    for (const auto& group : plan_.groups)
      write(group);
    take_revisions();
    drops_intents_ = db_.prepare(find_waiting_cron).with().step();
    for (const auto& job : plan_.jobs)
      if (auto written = write(job); !written)
        return written;
    link_children();
    if (plan_.revision) {
      db_.run(delete_revision, work_.source);
      db_.run(insert_revision, work_.source, *plan_.revision);
    }
    if (plan_.files) {
      db_.run(delete_files, work_.source);
      for (const auto& file : *plan_.files)
        db_.run(insert_file, work_.source, file);
    }
    write_alarm_rules(db_, work_.alarms, work_.source);
    write_audit_rows();
    auto done = write_elastic_plan(admin_, {work_.elastic, group_ids_, work_.source, work_.by, now_});
    work_.stale = !done && done.error().code == core::errc::conflict;
    return done;
  }

private:
  void write(const core::group_write& group) {
    auto id = group.id;
    auto type = static_cast<std::int32_t>(group.type);
    if (group.kind == change_kind::create) {
      db_.run(insert_group, group.app_name, group.title, type, group.address_list, now_text_);
      id = core::group_id{static_cast<std::int32_t>(db_.last_id())};
      db_.run(own_group, id, work_.source);
    } else if (group.kind == change_kind::update) {
      db_.run(update_group, id, group.title, type, group.address_list, now_text_);
    } else {
      // Nothing refers to it any more: its jobs are removed in this transaction.
      db_.run(delete_group, id);
      db_.run(disown_group, id);
    }
    group_ids_.push_back(id);
  }

  /// Takes at least one number: a change without jobs is an edit, too.
  void take_revisions() {
    const auto count = std::max<std::size_t>(plan_.jobs.size(), 1);
    db_.run(raise_edits_by, count);
    auto reading = db_.prepare(read_edits);
    if (reading.with().step())
      revision_ = reading.number(0) - static_cast<std::int64_t>(count);
  }

  core::result<void> write(const core::job_write& job) {
    const auto revision = ++revision_;
    if (job.kind == change_kind::create) {
      ids_.push_back(create(job, revision));
      return {};
    }
    ids_.push_back(job.id);
    if (job.kind == change_kind::remove || job.ends_manual_stop)
      db_.run(delete_stop, job.id);
    if (drops_intents_ && (job.kind == change_kind::remove || job.schedule))
      db_.run(delete_waiting_cron, job.id);
    if (job.kind == change_kind::update)
      return update(job, revision);
    for (const char* sql : {delete_job, delete_glue_history, delete_schedule, delete_ext, delete_mirror, delete_open_alarm})
      db_.run(sql, job.id);
    return {};
  }

  core::job_id create(const core::job_write& job, std::int64_t revision) {
    const auto& c = job.columns;
    const auto group = job.group.id ? *job.group.id : group_ids_.at(job.group.position);
    const auto schedule = job.schedule.value_or(core::schedule_write{});
    auto next_ms = schedule.next ? core::to_ms(*schedule.next) : 0;
    db_.run(insert_job, c.name, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.block, c.handler,
            c.params, c.glue_type, c.timeout_s, c.retry_count, now_text_, group, schedule.running, next_ms);
    const core::job_id id{static_cast<std::int32_t>(db_.last_id())};
    if (schedule.depends_on_id()) {
      const auto first = core::next_of(schedule, id);
      next_ms = first ? core::to_ms(*first) : 0;
      db_.run(show_next, id, next_ms);
    }
    db_.run(insert_schedule, id, revision, next_ms);
    db_.run(insert_ext, id, work_.source, job.key, job.hash, core::values_of(c));
    return id;
  }

  /// New jobs come first in a plan, so their ids are known.
  core::result<void> update(const core::job_write& job, std::int64_t revision) {
    const auto times = schedule(job, revision);
    if (!times)
      return tl::unexpected{times.error()};
    const auto& c = job.columns;
    const auto written =
      db_.run(update_job, c.name, c.author, c.alarm_email, c.schedule_type, c.schedule_conf, c.misfire, c.route, c.block,
              c.handler, c.params, c.glue_type, c.timeout_s, c.retry_count, now_text_, job.id, core::child_jobs_text(job, ids_),
              times->running, times->next_ms, times->last_ms, job.was_running);
    // A job that keeps its schedule has ended since the plan was made, or was stopped by another program.
    if (written == 0 && !db_.failed()) {
      work_.stale = true;
      return core::fail(core::errc::conflict,
                        job.object + ": it was edited while the declared jobs were planned; apply them again");
    }
    db_.run(update_ext, job.hash, core::values_of(c), job.id);
    return {};
  }

  /// Empty values stay unchanged.
  struct shown_times {
    std::optional<bool> running;
    std::optional<std::int64_t> next_ms;
    std::optional<std::int64_t> last_ms;
  };

  core::result<shown_times> schedule(const core::job_write& job, std::int64_t revision) {
    if (!job.schedule) {
      if (db_.run(touch_schedule, job.id, revision) == 0) {
        db_.run(ensure_schedule, job.id);
        db_.run(touch_schedule, job.id, revision);
      }
      return shown_times{};
    }
    auto wanted = *job.schedule;
    const auto limit = now_ + core::implausibly_ahead;
    const auto move = [&] {
      return db_.run(write_schedule, job.id, revision, wanted.next.value_or(core::time_point{}), wanted.last, limit, now_) != 0;
    };
    if (!move()) {
      db_.run(ensure_schedule, job.id);
      auto reading = db_.prepare(find_last);
      if (reading.with(job.id).step())
        wanted.last = std::max(wanted.last, reading.time_ms(0));
      if (wanted.running) {
        const auto next = core::planned_after(job, core::search_from(wanted.from, wanted.last));
        if (!next)
          return tl::unexpected{next.error()};
        wanted.next = *next;
      }
      (void) move();
    }
    const auto shown = core::lies_implausibly_ahead(wanted.last, now_) ? now_ : wanted.last;
    return shown_times{wanted.running, wanted.next ? core::to_ms(*wanted.next) : 0, core::to_ms(shown)};
  }

  /// Runs as a separate pass: a child may be a job that the same plan creates.
  void link_children() {
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
      if (plan_.jobs[i].kind == change_kind::create && !plan_.jobs[i].children.empty())
        db_.run(write_children, ids_[i], core::child_jobs_text(plan_.jobs[i], ids_));
  }

  void write_audit_rows() {
    for (std::size_t i = 0; i < group_ids_.size(); ++i)
      work_.audit[i].object_id = core::number(group_ids_[i]);
    for (std::size_t i = 0; i < ids_.size(); ++i)
      work_.audit[group_ids_.size() + i].object_id = core::number(ids_[i]);
    for (const auto& row : work_.audit)
      db_.run(insert_audit, row.at, row.user, row.user_name, row.remote, core::stored_name(row.action),
              core::stored_name(row.object), row.object_id, row.object_name, row.changes,
              row.field_values);
  }

  connection& db_;
  admin_session& admin_;
  deploy_writing& work_;
  const core::deploy_plan& plan_;
  const core::time_point now_;
  const std::string now_text_;
  bool drops_intents_ = false;
  std::vector<core::group_id> group_ids_;
  std::vector<core::job_id> ids_;
  std::int64_t revision_ = 0;
};

} // namespace

std::vector<core::held_group> read_groups(connection& db) {
  std::vector<core::held_group> out;
  auto groups = db.prepare(list_held_groups);
  groups.with();
  while (groups.step()) {
    const auto type = groups.number(3) == 0 ? core::address_type::automatic : core::address_type::manual;
    out.push_back({groups.id<core::group_id>(0), std::string{groups.text(1)}, std::string{groups.text(2)}, type,
                   std::string{groups.text(4)}, std::string{groups.text(5)}, 0});
  }
  return out;
}

core::result<void> write_deploy(session& own, admin_session& admin, deploy_writing& work) {
  return writing{own, admin, work}.run();
}

} // namespace ringmaster::storage::sqlite
