#include "storage/rows/job_row.hpp"

#include <algorithm>

namespace ringmaster::storage {

core::schedule_options options_of(const job_row& row) {
  constexpr std::int64_t beyond = core::jitter_ms_max + std::int64_t{1};
  auto instant = [](std::optional<std::int64_t> ms) {
    return ms ? std::optional{core::from_ms(*ms)} : std::optional<core::time_point>{};
  };
  core::schedule_options options{std::string{row.time_zone}, row.interval_ms, instant(row.start_ms), instant(row.end_ms), {}};
  if (row.jitter_ms)
    options.jitter_ms = static_cast<std::int32_t>(std::clamp<std::int64_t>(*row.jitter_ms, 0, beyond));
  return options;
}

core::job_ptr job_of(const job_row& row) {
  auto job = std::make_shared<core::job>();
  job->id = row.id;
  job->group = row.group;
  // An unknown schedule type is never planned; an unknown route strategy makes the run fail with a clear text.
  job->schedule = core::find_schedule_type(row.schedule_type).value_or(core::schedule_type::unknown);
  job->misfire = core::find_misfire_policy(row.misfire).value_or(core::misfire_policy::do_nothing);
  job->route = core::find_route_strategy(row.route).value_or(core::route_strategy::unknown);
  job->block = core::find_block_strategy(row.block).value_or(core::block_strategy::serial_execution);
  job->on_unknown = core::find_unknown_policy(row.on_unknown).value_or(core::unknown_policy::ask);
  job->keep_logs = row.keep_logs;
  job->timeout_s = row.timeout_s;
  job->retry_count = row.retry_count;
  job->schedule_conf = row.schedule_conf;
  job->timing = options_of(row);
  job->handler = row.handler;
  job->param = row.param;
  job->child_jobs = row.child_jobs;
  job->glue_type = row.glue_type;
  if (!row.glue_source.empty())
    job->glue_source = std::make_shared<const std::string>(row.glue_source);
  job->source_left_out = row.source_left_out && row.glue_type != "BEAN";
  job->glue_updated = row.glue_updated;
  return job;
}

} // namespace ringmaster::storage
