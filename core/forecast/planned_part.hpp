#pragma once

// The part of a stored job that forecasts plan with.

#include <memory>

#include "core/editing/job_draft.hpp"
#include "core/job/job.hpp"

namespace ringmaster::core {

/// Returns the part of the job that the planner needs. An unknown schedule type stays unknown: it cannot be planned.
[[nodiscard]] inline job_ptr planned_part(const job_record& job) {
  auto spec = std::make_shared<core::job>();
  spec->id = job.id;
  spec->group = job.group;
  spec->schedule = find_schedule_type(job.schedule_type).value_or(schedule_type::unknown);
  spec->schedule_conf = job.schedule_conf;
  spec->misfire = find_misfire_policy(job.misfire).value_or(misfire_policy::do_nothing);
  spec->timing = job.timing;
  return spec;
}

} // namespace ringmaster::core
