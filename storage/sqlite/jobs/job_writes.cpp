// Edits of jobs by users.

#include "storage/sqlite/jobs/job_writes.hpp"

#include "core/rules/audit_rules.hpp"
#include "core/rules/job_columns.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/schedule/last_instant.hpp"
#include "storage/rows/job_option_row.hpp"
#include "storage/sqlite/firing/edit_sql.hpp"
#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char group_exists[] = "SELECT 1 FROM xxl_job_group WHERE id = ?1";
constexpr char find_child[] = "SELECT job_group FROM xxl_job_info WHERE id = ?1";
constexpr char add_job_row[] =
  "INSERT INTO xxl_job_info (job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, "
  "misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, "
  "executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, "
  "trigger_last_time, trigger_next_time) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
  "?17, ?3, ?18, 0, 0, 0)";
constexpr char update_job_row[] =
  "UPDATE xxl_job_info SET job_group = ?2, job_desc = ?3, update_time = ?4, author = ?5, alarm_email = ?6, schedule_type = ?7, "
  "schedule_conf = ?8, misfire_strategy = ?9, executor_route_strategy = ?10, executor_handler = ?11, executor_param = ?12, "
  "executor_block_strategy = ?13, executor_timeout = ?14, executor_fail_retry_count = ?15, child_jobid = ?16 WHERE id = ?1";
constexpr char touch_edited[] =
  "UPDATE rm_schedule SET revision = (SELECT counter FROM rm_edit WHERE id = 1) WHERE job = ?1";
constexpr char find_seen[] = "SELECT schedule_type, schedule_conf FROM rm_mirror WHERE job = ?1";
constexpr char mirror_next[] = "UPDATE xxl_job_info SET trigger_next_time = ?2 WHERE id = ?1";
#define RINGMASTER_NEW_OPTION(name) name " = excluded." name
constexpr char write_options[] =
  "INSERT INTO rm_job_ext (job, " RINGMASTER_OPTION_NAMES ") VALUES (?, " RINGMASTER_OPTION_MARKS
  ") ON CONFLICT (job) DO UPDATE SET " RINGMASTER_JOB_OPTIONS(RINGMASTER_NEW_OPTION, ", ");
#undef RINGMASTER_NEW_OPTION
constexpr char update_source[] = "UPDATE xxl_job_info SET glue_source = ?2, glue_remark = ?3, glue_updatetime = ?4, "
                                 "update_time = ?4 WHERE id = ?1";
constexpr char insert_version[] = "INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, add_time, "
                                  "update_time) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
constexpr char trim_versions[] = "DELETE FROM xxl_job_logglue WHERE job_id = ?1 AND id NOT IN "
                                 "(SELECT id FROM xxl_job_logglue WHERE job_id = ?1 ORDER BY id DESC LIMIT ?2)";

core::draft_facts facts_of(connection& db, const core::job_draft& draft, core::job_id job) {
  core::draft_facts out;
  out.job = job;
  out.group_exists = db.prepare(group_exists).with(draft.group).step();
  auto looking = db.prepare(find_child);
  for (const auto child : core::numbers_in(draft.children))
    if (looking.with(child).step())
      out.children.emplace_back(child, looking.id<core::group_id>(0));
  return out;
}

void keep_options(connection& db, core::job_id job, const core::job_record& row) {
  db.run(write_options, job, core::values_of(row));
}

/// Takes the edit's number, which the job keeps.
void take_revision(connection& db, core::job_id job) {
  db.run(raise_edits);
  db.run(ensure_schedule, job);
  db.run(touch_edited, job);
}

/// Returns whether another program changed the schedule since the mirror's last check.
bool has_foreign_schedule(connection& db, const std::optional<core::job_record>& held) {
  if (!held)
    return false;
  auto seen = db.prepare(find_seen);
  return seen.with(held->id).step() && (seen.text(0) != held->schedule_type || seen.text(1) != held->schedule_conf);
}

/// Replaces the schedule of a job and deletes everything that still waits from the old one.
void reschedule(connection& db, core::job_id job, const core::job_record& row, core::time_point now) {
  db.run(delete_waiting_cron, job);
  if (!row.running)
    return;
  db.run(write_next, job, row.next);
  db.run(doubt_last, job, now + core::implausibly_ahead, now);
  db.run(mirror_next, job, row.next);
}

std::optional<core::time_point> time_or_none(core::time_point t) {
  return t == core::time_point{} ? std::nullopt : std::optional{t};
}

} // namespace

core::result<core::job_id> job_editor_role::add(const core::job_draft& draft, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_id> {
    const auto wanted =
      core::write_new(draft, {by, facts_of(db, draft, core::job_id{}), core::column_limits{}, false, own_.schedule_zone, now});
    if (!wanted)
      return tl::unexpected{wanted.error()};
    const auto& row = wanted->row;
    db.run(add_job_row, row.group, row.name, own_.dates.of(now), row.author, row.alarm_email, row.schedule_type,
           row.schedule_conf, row.misfire, row.route, row.handler, row.param, row.block, row.timeout_s, row.retry_count,
           row.glue_type, row.glue_source, row.glue_remark, row.children);
    const core::job_id job{static_cast<std::int32_t>(db.last_id())};
    take_revision(db, job);
    if (wanted->options_changed)
      keep_options(db, job, row);
    write_audit(db, core::audit_of(by, core::audit_action::add, core::audit_object::job, core::number(job), row.name,
                                   wanted->changes, now));
    return job;
  });
}

core::result<core::job_edit> job_editor_role::update(core::job_id job, const core::job_draft& draft,
                                                     std::string_view seen, const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto held = find_record(own_, job);
    const auto wanted = core::write_update(held, draft, seen,
                                     {by, facts_of(db, draft, job), core::column_limits{}, false, own_.schedule_zone, now,
                                      has_foreign_schedule(db, held)});
    if (!wanted)
      return tl::unexpected{wanted.error()};
    const auto& row = wanted->row;
    db.run(update_job_row, job, row.group, row.name, own_.dates.of(now), row.author, row.alarm_email, row.schedule_type,
           row.schedule_conf, row.misfire, row.route, row.handler, row.param, row.block, row.timeout_s, row.retry_count,
           row.children);
    take_revision(db, job);
    if (wanted->options_changed)
      keep_options(db, job, row);
    if (wanted->rescheduled)
      reschedule(db, job, row, now);
    if (!wanted->changes.empty())
      write_audit(db, core::audit_of(by, core::audit_action::update, core::audit_object::job, core::number(job), row.name,
                               wanted->changes, now));
    return core::job_edit{job, time_or_none(row.next), 0};
  });
}

core::result<core::job_edit> job_editor_role::save_source(core::job_id job, std::string_view source, std::string_view remark,
                                                          const core::principal& by, core::time_point now) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::job_edit> {
    const auto held = find_record(own_, job);
    if (auto may = core::check_source(held, job, source, remark, by); !may)
      return tl::unexpected{may.error()};
    const auto& date = own_.dates.of(now);
    db.run(update_source, job, source, remark, date);
    db.run(insert_version, job, held->glue_type, source, remark, date);
    db.run(trim_versions, job, core::source_versions_max);
    take_revision(db, job);
    const auto anew = has_foreign_schedule(db, held) ? core::planned_anew(*held, now, own_.schedule_zone) : std::nullopt;
    if (anew)
      reschedule(db, job, *anew, now);
    if (const auto changes = core::source_change(*held, source, remark); !changes.empty())
      write_audit(
        db, core::audit_of(by, core::audit_action::source, core::audit_object::job, core::number(job), held->name, changes, now));
    return core::job_edit{job, time_or_none(anew.value_or(*held).next), 0};
  });
}

} // namespace ringmaster::storage::sqlite
