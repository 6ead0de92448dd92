#pragma once

#include "core/editing/declared.hpp"

namespace ringmaster::test {

/// Returns the job `settle` of the group `pay-worker`, each night at one.
inline core::declared_set nightly() {
  core::declared_set declared;
  declared.source = "jobs.toml";
  declared.groups.push_back({"pay-worker", "Payments", {}});
  core::declared_job job;
  job.group = "pay-worker";
  job.key = "settle";
  job.name = "Settle";
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = "settleHandler";
  declared.jobs.push_back(job);
  return declared;
}

} // namespace ringmaster::test
