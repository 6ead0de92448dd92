// The stored state of declared groups and jobs.

#include <unordered_map>

#include "storage/rows/job_option_row.hpp"
#include "storage/sqlite/jobs/deploy_switch.hpp"
#include "storage/sqlite/jobs/deploys.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char read_revision[] = "SELECT revision FROM rm_deploy WHERE source = ?1";
// By bytes, as std::string compares.
constexpr char list_files[] = "SELECT file_name FROM rm_source_file WHERE source = ?1 ORDER BY file_name";
constexpr char count_undeclared[] = "SELECT i.job_group, count(*) FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id "
                                    "WHERE x.job_key IS NULL GROUP BY i.job_group";
constexpr char list_held_jobs[] =
  "SELECT i.id, i.job_group, x.job_key, x.source, x.content_hash, i.child_jobid, i.trigger_status, "
  "s.last_ms, i.job_desc, i.author, "
  "i.alarm_email, i.schedule_type, i.schedule_conf, i.misfire_strategy, i.executor_route_strategy, "
  "i.executor_block_strategy, i.executor_handler, i.executor_param, i.glue_type, i.executor_timeout, "
  "i.executor_fail_retry_count, " RINGMASTER_OPTIONS_OF_X
  ", "
  "EXISTS (SELECT 1 FROM rm_stop p WHERE p.job = i.id) "
  "FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job LEFT JOIN rm_schedule s ON s.job = i.id "
  "WHERE x.job_key IS NOT NULL ORDER BY i.id";

core::held_job read_held_job(const statement& row) {
  core::held_job job;
  job.id = row.id<core::job_id>(0);
  job.group = row.id<core::group_id>(1);
  job.key = row.text(2);
  job.source = row.text(3);
  job.hash = row.text(4);
  job.child_jobs = row.text(5);
  job.running = row.number(6) == 1;
  job.last = row.time_ms(7);
  int column = 8;
  auto& columns = job.columns;
  for (auto* text :
       {&columns.name, &columns.author, &columns.alarm_email, &columns.schedule_type, &columns.schedule_conf, &columns.misfire,
        &columns.route, &columns.block, &columns.handler, &columns.params, &columns.glue_type})
    *text = row.text(column++);
  columns.timeout_s = row.small(column++);
  columns.retry_count = row.small(column++);
  read_options(row, column, columns);
  job.stopped_manually = row.number(column) == 1;
  return job;
}

} // namespace

core::deploy_state read_deploy_state(connection& db, const std::string& source) {
  core::deploy_state state;
  auto revision = db.prepare(read_revision);
  if (revision.with(source).step())
    state.revision = revision.number(0);
  auto files = db.prepare(list_files);
  files.with(source);
  while (files.step())
    state.files.emplace_back(files.text(0));
  std::unordered_map<std::int64_t, std::size_t> by_hand;
  auto counting = db.prepare(count_undeclared);
  counting.with();
  while (counting.step())
    by_hand[counting.number(0)] = static_cast<std::size_t>(counting.number(1));
  state.groups = read_groups(db);
  for (auto& group : state.groups)
    group.jobs_made_by_hand = by_hand[core::number(group.id)];
  auto jobs = db.prepare(list_held_jobs);
  jobs.with();
  while (jobs.step())
    state.jobs.push_back(read_held_job(jobs));
  return state;
}

} // namespace ringmaster::storage::sqlite
