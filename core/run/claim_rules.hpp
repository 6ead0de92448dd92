#pragma once

// Rules of a claim (T1, T2): rejection of an invalid batch, and the comparison of two definitions of a job.

#include <string>
#include <tuple>
#include <unordered_set>

#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// Checks that a batch moves a job at most once, and that every run has a job and comes from a move or an intent of the batch,
/// the only ways to send. Errors: `invalid_argument`.
[[nodiscard]] inline result<void> check(const claim_batch& batch) {
  std::unordered_set<std::int32_t> moved;
  for (const auto& move : batch.moves)
    if (!moved.insert(number(move.job)).second)
      return fail(errc::invalid_argument, "a claim moves job " + std::to_string(number(move.job)) + " twice");
  for (const auto& run : batch.runs) {
    if (!run.spec)
      return fail(errc::invalid_argument, "a claim has a run without a job");
    if (!run.intent && !moved.contains(number(run.spec->id)))
      return fail(errc::invalid_argument, "a claim has a run of job " + std::to_string(number(run.spec->id)) +
                                            " that comes from neither a move nor an intent");
  }
  return {};
}

/// Returns whether the runs of two definitions of a job are equal: all parts of a run are equal, regardless of the schedule.
/// Sources of scripts are compared by their update time.
[[nodiscard]] inline bool runs_alike(const job& one, const job& other) {
  const auto made_of = [](const job& job) {
    return std::tie(job.id, job.group, job.route, job.block, job.on_unknown, job.timeout_s, job.retry_count, job.handler,
                    job.param, job.child_jobs, job.glue_type, job.glue_updated);
  };
  return made_of(one) == made_of(other);
}

} // namespace ringmaster::core
