#include "storage/sqlite/schema/examine.hpp"

#include "storage/rules/job_defects.hpp"
#include "storage/rows/job_row.hpp"
#include "storage/rows/data_checks.hpp"
#include "storage/rows/run_troubles.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_schedules[] =
  "SELECT i.id, i.trigger_status, i.schedule_type, i.schedule_conf, x.time_zone, x.interval_ms, x.start_at, x.end_at, "
  "x.jitter_ms FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id ORDER BY i.id";
/// For a schema before `migrate` has added the options.
constexpr char list_bare_schedules[] = "SELECT id, trigger_status, schedule_type, schedule_conf, NULL, NULL, NULL, NULL, NULL "
                                       "FROM xxl_job_info ORDER BY id";
constexpr char list_examined_groups[] = "SELECT id, app_name, address_type, address_list FROM xxl_job_group ORDER BY id";
constexpr char list_examined_jobs[] =
  "SELECT id, job_group, trigger_status = 1, executor_route_strategy, executor_block_strategy, misfire_strategy, glue_type, "
  "executor_handler, child_jobid, executor_timeout FROM xxl_job_info ORDER BY id";
constexpr char list_examined_registrations[] =
  "SELECT registry_group, registry_key, registry_value FROM xxl_job_registry ORDER BY id";
constexpr char count_timeless[] =
  "SELECT COUNT(*) FROM (SELECT trigger_time FROM xxl_job_log ORDER BY id DESC LIMIT 10000) WHERE trigger_time IS NULL";

constexpr char count_given_up[] =
  "SELECT count(*), coalesce(max(l.id), 0) FROM (SELECT log_id FROM rm_failed_run ORDER BY log_id DESC LIMIT ?1) f "
  "JOIN xxl_job_log l ON l.id = f.log_id WHERE l.alarm_status = 3";
constexpr char list_refusing[] =
  "SELECT DISTINCT l.executor_address FROM (SELECT log_id FROM rm_failed_run ORDER BY log_id DESC LIMIT ?1) f "
  "JOIN xxl_job_log l ON l.id = f.log_id WHERE l.trigger_code = 500 AND l.trigger_msg LIKE ?2 ORDER BY 1 LIMIT 5";

std::vector<database_finding> troubles(connection& db) {
  run_troubles found;
  if (auto has = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'rm_failed_run'"); !has.with().step())
    return {};
  if (auto given_up = db.prepare(count_given_up); given_up.with(troubled_runs).step()) {
    found.alarms_given_up = given_up.number(0);
    found.newest_given_up = given_up.number(1);
  }
  auto refusing = db.prepare(list_refusing);
  refusing.with(troubled_runs, token_refused_pattern);
  while (refusing.step())
    found.refusing.emplace_back(refusing.text(0));
  return findings_of(found);
}

bool has_options(connection& db) {
  auto row = db.prepare("SELECT 1 FROM pragma_table_info('rm_job_ext') WHERE name = 'jitter_ms'");
  row.with();
  return row.step();
}

database_finding schedules(connection& db, const core::zone& where) {
  defect_report report{where};
  auto row = db.prepare(has_options(db) ? list_schedules : list_bare_schedules);
  row.with();
  while (row.step())
    report.add({row.number(0), row.number(1), std::string{row.text(2)}, row.optional_text(3), options_at(row, 4)});
  return report.finding();
}

database_finding rows(connection& db) {
  data_check_report report;
  auto group = db.prepare(list_examined_groups);
  group.with();
  while (group.step())
    report.add(group_values{group.number(0), std::string{group.text(1)}, group.number(2), group.optional_text(3)});
  auto job = db.prepare(list_examined_jobs);
  job.with();
  while (job.step())
    report.add(job_values{job.number(0), job.number(1), job.number(2) != 0, job.optional_text(3), job.optional_text(4),
                          job.optional_text(5), job.optional_text(6), job.optional_text(7), job.optional_text(8), job.number(9)});
  auto registration = db.prepare(list_examined_registrations);
  registration.with();
  while (registration.step())
    report.add_registration(registration.text(0), registration.text(1), registration.text(2));
  auto timeless = db.prepare(count_timeless);
  timeless.with();
  if (timeless.step())
    report.add_timeless(timeless.number(0));
  return report.finding();
}

} // namespace

core::result<std::vector<database_finding>> examine(connection& db, const store_options& options,
                                                    const std::function<bool()>& go_on) {
  return within(db, transaction_kind::read, [&](connection& reading) -> core::result<std::vector<database_finding>> {
    const auto left = [&go_on] { return go_on && !go_on(); };
    std::vector out{schedules(reading, options.schedule_zone)};
    if (left())
      return out;
    out.push_back(rows(reading));
    if (left())
      return out;
    for (auto& one : troubles(reading))
      out.push_back(std::move(one));
    return out;
  });
}

} // namespace ringmaster::storage::sqlite
