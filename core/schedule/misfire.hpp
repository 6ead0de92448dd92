#pragma once

// Reserved instants that were not claimed in time, for example because the node that reserved them died: the job's misfire policy
// decides.

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/job/job.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// The waiting misfire intent of each job.
using waiting_misfires = std::unordered_map<job_id, intent_id>;

struct misfire_decision {
  /// Intents to claim; for each missed job with FIRE_ONCE_NOW one, as a misfire that runs now.
  std::vector<intent> go_on;
  /// Instants that are never sent.
  std::vector<dropped_instant> drop;
};

/// Decides about reserved instants that are ready. `spec_of` returns the job, or null if it is unknown; instants of unknown jobs,
/// and intents that are not reserved instants, go on undecided. The missed instants of a job become the newest of them, or the
/// intent in `waiting`; new ones are added to `waiting`. An instant that was reserved as a misfire goes on however late it is,
/// unless another one waits.
[[nodiscard]] misfire_decision apply_misfire_policy(std::vector<intent>&& ready, time_point now, milliseconds misfire_after,
                                           const std::function<job_ptr(job_id)>& spec_of, waiting_misfires& waiting);

/// Returns true if `apply_misfire_policy` has a decision to make about the intent once its job is known.
[[nodiscard]] bool needs_misfire_decision(const intent& one, time_point now, milliseconds misfire_after,
                                          const waiting_misfires& waiting);

} // namespace ringmaster::core
