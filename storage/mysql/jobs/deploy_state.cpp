#include <algorithm>
#include <unordered_map>

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/jobs/deploy_switch.hpp"
#include "storage/mysql/jobs/deploys.hpp"
#include "storage/rows/job_option_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

core::held_job read_job(const rows& row) {
  core::held_job out;
  out.id = row.id<core::job_id>(0);
  out.group = row.id<core::group_id>(1);
  out.key = row.text(2);
  out.source = row.text(3);
  out.hash = row.text(4);
  out.child_jobs = row.text(5);
  out.running = row.number(6) == 1;
  out.last = row.time_ms(7);
  std::size_t column = 8;
  auto& columns = out.columns;
  for (auto* text :
       {&columns.name, &columns.author, &columns.alarm_email, &columns.schedule_type, &columns.schedule_conf, &columns.misfire,
        &columns.route, &columns.block, &columns.handler, &columns.params, &columns.glue_type})
    *text = row.text(column++);
  columns.timeout_s = row.number32(column++);
  columns.retry_count = row.number32(column++);
  read_options(row, column, columns);
  out.stopped_manually = row.number(column) == 1;
  return out;
}

} // namespace

core::deploy_state read_deploy_state(session& own, const std::string& source) {
  auto& db = own.db;
  core::deploy_state out;
  out.limits = own.shape.limits;
  const auto mode = read_mode(db);
  out.shared = mode && mode->mode == core::cluster_mode::shared;
  if (auto row = db.query("SELECT revision FROM rm_deploy WHERE source = ?", source); row.next())
    out.revision = row.number(0);
  auto files = db.query("SELECT file_name FROM rm_source_file WHERE source = ?", source);
  while (files.next())
    out.files.push_back(files.string(0));
  std::sort(out.files.begin(), out.files.end());

  std::unordered_map<std::int64_t, std::size_t> by_hand;
  auto counts = db.query(
    "SELECT i.job_group, COUNT(*) FROM xxl_job_info i LEFT JOIN rm_job_ext x ON x.job = i.id WHERE x.job_key IS NULL"
    " GROUP BY i.job_group");
  while (counts.next())
    by_hand[counts.number(0)] = static_cast<std::size_t>(counts.number(1));

  out.groups = read_groups(db);
  for (auto& group : out.groups)
    group.jobs_made_by_hand = by_hand[core::number(group.id)];

  auto jobs = db.query(
    "SELECT i.id, i.job_group, x.job_key, x.source, x.content_hash, i.child_jobid, i.trigger_status,"
    " GREATEST(COALESCE(s.last_ms, 0), IF(?, i.trigger_last_time, 0)), i.$job_name,"
    " i.author, i.alarm_email, i.schedule_type, i.schedule_conf, i.misfire_strategy, i.executor_route_strategy,"
    " i.executor_block_strategy, i.executor_handler, i.executor_param, i.glue_type, i.executor_timeout,"
    " i.executor_fail_retry_count, " RINGMASTER_OPTIONS_OF_X ","
    " EXISTS (SELECT 1 FROM rm_stop p WHERE p.job = i.id)"
    " FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job LEFT JOIN rm_schedule s ON s.job = i.id"
    " WHERE x.job_key IS NOT NULL ORDER BY i.id",
    out.shared);
  while (jobs.next())
    out.jobs.push_back(read_job(jobs));
  return out;
}

} // namespace ringmaster::storage::mysql
