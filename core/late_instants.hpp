#pragma once

// Reserved instants that nobody claimed in time (the node that reserved them died, say): the job's misfire policy decides.

#include <cstddef>
#include <functional>
#include <vector>

#include "core/job.hpp"
#include "core/run.hpp"

namespace ringmaster::core {

struct settled_instants {
  /// To be claimed; of each job that was missed with FIRE_ONCE_NOW the newest missed instant, as a misfire that runs now.
  std::vector<intent> go_on;
  /// Never to be sent.
  std::vector<intent_id> drop;
  /// How many of `drop` DO_NOTHING dropped; the others are summed up in a misfire.
  std::size_t dropped_by_policy = 0;
};

/// `spec_of`: the job, null when it is not known; its instants go on undecided. Intents that are no reserved instants go on, too.
/// A misfire that was reserved as one goes on however late it is.
[[nodiscard]] settled_instants settle_late(std::vector<intent>&& ready, time_point now, milliseconds misfire_after,
                                           const std::function<job_ptr(job_id)>& spec_of);

} // namespace ringmaster::core
