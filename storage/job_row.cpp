#include "storage/job_row.hpp"

namespace ringmaster::storage {

core::job_ptr job_of(const job_row& row) {
  auto job = std::make_shared<core::job>();
  job->id = row.id;
  job->group = row.group;
  // A schedule that nobody knows is never planned; a route that nobody knows makes the run fail with a clear text.
  job->schedule = core::find_schedule_type(row.schedule_type).value_or(core::schedule_type::unknown);
  job->misfire = core::find_misfire_policy(row.misfire).value_or(core::misfire_policy::do_nothing);
  job->route = core::find_route_strategy(row.route).value_or(core::route_strategy::unknown);
  job->block = core::find_block_strategy(row.block).value_or(core::block_strategy::serial_execution);
  job->on_unknown = core::find_unknown_policy(row.on_unknown).value_or(core::unknown_policy::ask);
  job->timeout_s = row.timeout_s;
  job->retry_count = row.retry_count;
  job->schedule_conf = row.schedule_conf;
  job->handler = row.handler;
  job->param = row.param;
  job->child_jobs = row.child_jobs;
  job->glue_type = row.glue_type;
  if (!row.glue_source.empty())
    job->glue_source = std::make_shared<const std::string>(row.glue_source);
  job->glue_updated = row.glue_updated;
  return job;
}

} // namespace ringmaster::storage
