// Edits of jobs by users. Each edit blocks claims, reads the job, computes its new state, and writes it.

#include "storage/admin/job_writes.hpp"

#include "core/editing/edit_tag.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/job_columns.hpp"
#include "core/rules/job_draft_rules.hpp"
#include "core/schedule/last_instant.hpp"
#include "storage/admin/audit_row.hpp"
#include "storage/rows/job_option_row.hpp"

namespace ringmaster::storage {

namespace {

using core::cluster_mode;

std::optional<core::time_point> time_or_none(core::time_point t) {
  return t == core::time_point{} ? std::nullopt : std::optional{t};
}

core::draft_facts facts_of(admin_session& own, const core::job_draft& draft, core::job_id job) {
  core::draft_facts out;
  out.job = job;
  out.group_exists = own.finds("SELECT 1 FROM xxl_job_group WHERE id = ?", draft.group);
  own.query_in("SELECT id, job_group FROM xxl_job_info WHERE id IN ({?,})", core::numbers_in(draft.children),
               [&out](const sql_rows& row) { out.children.emplace_back(row.id<core::job_id>(0), row.id<core::group_id>(1)); });
  return out;
}

} // namespace

std::optional<core::job_record> held_record(admin_session& own, core::job_id job, cluster_mode mode) {
  return own.schedule().hold(job, mode) ? find_record(own, job) : std::nullopt;
}

std::int64_t next_revision(admin_session& own) {
  own.execute("UPDATE rm_edit SET counter = counter + 1 WHERE id = 1");
  auto row = own.query("SELECT counter FROM rm_edit WHERE id = 1");
  return row.next() ? row.number(0) : 0;
}

void doubt_last_instant(admin_session& own, core::job_id job, core::time_point now) {
  own.execute("UPDATE rm_schedule SET last_ms = ? WHERE job = ? AND last_ms > ?", now, job, now + core::implausibly_ahead);
}

void drop_reserved(admin_session& own, core::job_id job) {
  own.execute("DELETE FROM rm_intent WHERE job = ? AND $planned_kinds AND state = 0", job);
}

namespace {

/// Returns whether another program changed the schedule since the mirror's last check. False in shared mode, where Java admins
/// plan by that schedule.
bool has_foreign_schedule(admin_session& own, const std::optional<core::job_record>& held, cluster_mode mode) {
  if (!held || mode == cluster_mode::shared)
    return false;
  auto seen = own.query("SELECT schedule_type, schedule_conf FROM rm_mirror WHERE job = ?", held->id);
  return seen.next() && (seen.text(0) != held->schedule_type || seen.text(1) != held->schedule_conf);
}

void keep_options(admin_session& own, core::job_id job, const core::job_record& row) {
#define RINGMASTER_NEW_OPTION(name) name " = $new_value(" name ")"
  constexpr sql_text write_options{
    "INSERT INTO rm_job_ext (job, " RINGMASTER_OPTION_NAMES ") VALUES (?, " RINGMASTER_OPTION_MARKS
    ") $on_conflict(job) " RINGMASTER_JOB_OPTIONS(RINGMASTER_NEW_OPTION, ", ")};
#undef RINGMASTER_NEW_OPTION
  const auto options = core::values_of(row);
  std::vector<sql_value> values{value_of(job)};
  for (const auto& option : options)
    values.push_back(value_of(option));
  own.execute_with(write_options, values);
}

void take_revision(admin_session& own, core::job_id job) {
  own.execute("INSERT INTO rm_schedule (job, revision) VALUES (?, ?) $on_conflict(job) revision = $new_value(revision)", job,
              next_revision(own));
}

void write_columns(admin_session& own, core::job_id job, const core::job_record& row, const std::string& date) {
  own.execute("UPDATE xxl_job_info SET job_group = ?, $job_name = ?, update_time = ?, author = ?, alarm_email = ?,"
             " schedule_type = ?, schedule_conf = ?, misfire_strategy = ?, executor_route_strategy = ?, executor_handler = ?,"
             " executor_param = ?, executor_block_strategy = ?, executor_timeout = ?, executor_fail_retry_count = ?,"
             " child_jobid = ? WHERE id = ?",
             row.group, row.name, date, row.author, row.alarm_email, row.schedule_type, row.schedule_conf, row.misfire, row.route,
             row.handler, row.param, row.block, row.timeout_s, row.retry_count, row.children, job);
}

/// Replaces the schedule of a job and deletes everything that still waits from the old one.
void reschedule(admin_session& own, core::job_id job, const core::job_record& row, cluster_mode mode, core::time_point now) {
  drop_reserved(own, job);
  if (!row.running)
    return;
  const auto next_ms = core::to_ms(row.next);
  if (mode == cluster_mode::shared) {
    own.schedule().keep_last_instant(job, now);
    own.execute("UPDATE xxl_job_info SET trigger_status = ?, trigger_next_time = ?, trigger_last_time = 0 WHERE id = ?", true,
                next_ms, job);
    return;
  }
  own.execute("UPDATE rm_schedule SET next_ms = ? WHERE job = ?", next_ms, job);
  doubt_last_instant(own, job, now);
  own.execute("UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?", own.schedule().shown_next(next_ms), job);
}

core::job_id insert_job(admin_session& own, const core::job_record& row, const std::string& date) {
  return own.insert<core::job_id>(
    "INSERT INTO xxl_job_info (job_group, $job_name, add_time, update_time, author, alarm_email, schedule_type, schedule_conf,"
    " misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout,"
    " executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status,"
    " trigger_last_time, trigger_next_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
    row.group, row.name, date, date, row.author, row.alarm_email, row.schedule_type, row.schedule_conf, row.misfire, row.route,
    row.handler, row.param, row.block, row.timeout_s, row.retry_count, row.glue_type, row.glue_source, row.glue_remark, date,
    row.children);
}

/// Adds a version to the history of a script.
void add_version(admin_session& own, core::job_id job, std::string_view glue_type, std::string_view source,
                 std::string_view remark, const std::string& date) {
  own.execute("INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, add_time, update_time)"
              " VALUES (?, ?, ?, ?, ?, ?)", job, glue_type, source, remark, date, date);
}

/// Returns the tag of the job once it has this source.
std::string tag_with(core::job_record held, std::string_view source, std::string_view remark) {
  held.glue_source = source;
  held.glue_remark = remark;
  return core::source_tag(held);
}

} // namespace

core::result<core::job_id> job_editor_role::add(const core::job_draft& draft, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<core::job_id> {
    const auto mode = own_.begin_edit();
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto wanted = core::write_new(draft, {by, facts_of(own_, draft, core::job_id{}), own_.facts().limits,
                                          *mode == cluster_mode::shared, own_.schedule_zone(), now});
    if (!wanted)
      return tl::unexpected{wanted.error()};
    const std::string date{own_.dates().of(now)};
    const auto job = insert_job(own_, wanted->row, date);
    // A restarted server may reuse the id of a job that Java admins removed.
    own_.execute("DELETE FROM rm_job_ext WHERE job = ?", job);
    own_.execute("DELETE FROM rm_stop WHERE job = ?", job);
    // XXL-JOB loses the first source when the second one is saved.
    if (core::is_script(wanted->row.glue_type))
      add_version(own_, job, wanted->row.glue_type, wanted->row.glue_source, wanted->row.glue_remark, date);
    take_revision(own_, job);
    own_.execute("UPDATE rm_schedule SET next_ms = 0 WHERE job = ?", job);
    if (wanted->options_changed)
      keep_options(own_, job, wanted->row);
    write_audit(own_, core::audit_of(by, core::audit_action::add, core::audit_object::job, core::number(job), wanted->row.name,
                                  wanted->changes, now));
    return job;
  });
}

core::result<core::job_edit> job_editor_role::update(core::job_id job, const core::job_draft& draft,
                                                     std::string_view seen, const core::principal& by, core::time_point now) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto mode = own_.begin_edit();
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto held = held_record(own_, job, *mode);
    const auto wanted =
      core::write_update(held, draft, seen,
                   {by, facts_of(own_, draft, job), own_.facts().limits, *mode == cluster_mode::shared, own_.schedule_zone(),
                    own_.schedule().first_start(*mode, now), has_foreign_schedule(own_, held, *mode)});
    if (!wanted)
      return tl::unexpected{wanted.error()};
    take_revision(own_, job);
    write_columns(own_, job, wanted->row, std::string{own_.dates().of(now)});
    if (wanted->options_changed)
      keep_options(own_, job, wanted->row);
    if (wanted->rescheduled)
      reschedule(own_, job, wanted->row, *mode, now);
    if (!wanted->changes.empty())
      write_audit(own_, core::audit_of(by, core::audit_action::update, core::audit_object::job, core::number(job),
                                          wanted->row.name, wanted->changes, now));
    return core::job_edit{job, time_or_none(wanted->row.next), 0};
  });
}

core::result<core::job_edit> job_editor_role::save_source(core::job_id job, std::string_view source, std::string_view remark,
                                                          std::optional<std::string_view> seen, const core::principal& by,
                                                          core::time_point now) {
  return own_.edit([&]() -> core::result<core::job_edit> {
    const auto mode = own_.begin_edit();
    if (!mode)
      return tl::unexpected{mode.error()};
    const auto held = held_record(own_, job, *mode);
    if (auto may = core::check_source(held, job, source, remark, seen, by); !may)
      return tl::unexpected{may.error()};
    const auto replanned =
      has_foreign_schedule(own_, held, *mode) ? core::planned_anew(*held, now, own_.schedule_zone()) : std::nullopt;
    take_revision(own_, job);
    if (replanned)
      reschedule(own_, job, *replanned, *mode, now);
    const std::string date{own_.dates().of(now)};
    own_.execute("UPDATE xxl_job_info SET glue_source = ?, glue_remark = ?, glue_updatetime = ?, update_time = ? WHERE id = ?",
                 source, remark, date, date, job);
    add_version(own_, job, held->glue_type, source, remark, date);
    auto oldest = own_.query("SELECT id FROM xxl_job_logglue WHERE job_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?", job,
                             core::source_versions_max);
    if (oldest.next())
      own_.execute("DELETE FROM xxl_job_logglue WHERE job_id = ? AND id <= ?", job, oldest.number(0));
    if (const auto changes = core::source_change(*held, source, remark); !changes.empty())
      write_audit(own_, core::audit_of(by, core::audit_action::source, core::audit_object::job, core::number(job), held->name,
                                       changes, now));
    return core::job_edit{job, time_or_none(replanned.value_or(*held).next), 0, tag_with(*held, source, remark)};
  });
}

} // namespace ringmaster::storage
