#pragma once

// Rules of a claim (T1, T2): rejection of an invalid batch, and the comparison of two definitions of a job.

#include "core/result.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// Checks that a batch moves a job at most once, and that every run has a job and comes from a move or an intent of the batch,
/// the only ways to send. Errors: `invalid_argument`.
[[nodiscard]] result<void> check(const claim_batch& batch);

/// Returns whether the runs of two definitions of a job are equal: all parts of a run are equal, regardless of the schedule.
/// Sources of scripts are compared by their update time.
[[nodiscard]] bool runs_alike(const job& one, const job& other);

} // namespace ringmaster::core
