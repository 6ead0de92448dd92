#pragma once

// Reserved instants that nobody claimed in time (the node that reserved them died, say): the job's misfire policy decides.

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/job/job.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// By job, the intent that waits as its misfire.
using waiting_misfires = std::unordered_map<job_id, intent_id>;

struct misfire_decision {
  /// To be claimed; of each job that was missed with FIRE_ONCE_NOW one, as a misfire that runs now.
  std::vector<intent> go_on;
  /// Never to be sent.
  std::vector<dropped_instant> drop;
  /// How many of `drop` DO_NOTHING dropped; a misfire stands for the others.
  std::size_t dropped_by_policy = 0;
};

/// `spec_of`: the job, null when it is not known; its instants go on undecided. Intents that are no reserved instants go on, too.
/// What a job has missed becomes the newest of its missed instants, or the intent of `waiting`; the new ones are added to that.
/// A misfire that was reserved as one goes on however late it is, unless another one waits.
[[nodiscard]] misfire_decision apply_misfire_policy(std::vector<intent>&& ready, time_point now, milliseconds misfire_after,
                                           const std::function<job_ptr(job_id)>& spec_of, waiting_misfires& waiting);

/// Whether `apply_misfire_policy` has something to decide about it, once its job is known.
[[nodiscard]] bool needs_misfire_decision(const intent& one, time_point now, milliseconds misfire_after,
                                          const waiting_misfires& waiting);

} // namespace ringmaster::core
