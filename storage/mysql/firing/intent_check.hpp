#pragma once

// T2's look at the jobs of intents (firing protocol, S3, and XXL's definition at the claim).

#include <unordered_set>
#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Which intents may go on, by their ids.
struct intent_verdicts {
  std::unordered_set<std::int64_t> sound;
  /// Reserved instants whose job is not as it was reserved.
  std::unordered_set<std::int64_t> changed;
  /// Planned with another definition than the job has now.
  std::unordered_set<std::int64_t> stale;
  /// Another transaction holds their jobs.
  std::unordered_set<std::int64_t> locked;
};

/// Beside Java admins, before the intents are taken: edits of ours that change the jobs of children, retries and runs by hand
/// wait for this claim, or it for them. An edit cannot hold these by their intents, as it does with what is reserved: new ones
/// come at any time. `leave_out`: returns the jobs that another transaction holds, where the server can leave them out; else
/// none. Throws `driver_error`.
std::unordered_set<std::int64_t> keep_edits_off(session& own, const core::claim_batch& batch, bool leave_out);

/// Looks after the intents are taken. In native mode the jobs stay as they are to the end of the transaction: an edit comes
/// before the claim and is seen, or waits for it and finds its runs (F5). Beside Java admins it locks no job, which a pass of
/// theirs may hold: their edits, which wait for nobody, come before the look or, as if right behind the claim, after it, and
/// ours are kept off by the taken intents of reserved instants and by `keep_edits_off`. An intent whose job is gone is in none
/// of the lists. Throws `driver_error`.
[[nodiscard]] intent_verdicts check_intents(session& own, const core::claim_batch& batch,
                                            const std::vector<core::intent_id>& intents, bool leave_out);

} // namespace ringmaster::storage::mysql
