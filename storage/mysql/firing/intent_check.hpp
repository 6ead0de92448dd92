#pragma once

// T2's check of the jobs of intents (firing protocol, S3, and XXL's definition at the claim).

#include <unordered_set>
#include <vector>

#include "core/run/run.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Intents by verdict, by their ids.
struct intent_verdicts {
  std::unordered_set<std::int64_t> sound;
  /// Reserved instants whose job has changed since the reservation.
  std::unordered_set<std::int64_t> changed;
  /// Runs planned with a definition that the job no longer has.
  std::unordered_set<std::int64_t> stale;
  /// Runs whose job another transaction holds.
  std::unordered_set<std::int64_t> locked;
};

/// Blocks our own edits of the jobs of children, retries and manual runs, or waits for them, in shared mode before the intents
/// are taken. Edits cannot lock these jobs by their intents, as they do for reserved instants, because new intents come at any
/// time. `leave_out`: returns the jobs that another transaction holds, where the server can leave them out; otherwise none.
/// Throws `driver_error`.
std::unordered_set<std::int64_t> keep_edits_off(session& own, const core::claim_batch& batch, bool leave_out);

/// Checks the jobs after the intents are taken. In native mode the jobs stay unchanged until the end of the transaction: an edit
/// comes before the claim and is seen, or waits for it and finds its runs (F5). In shared mode it locks no job, because a pass of
/// a Java admin may hold it. Edits by Java admins, which wait for no lock, come either before this check, or after it as if right
/// after the claim. Our own edits are blocked by the taken intents of reserved instants and by `keep_edits_off`. An intent whose
/// job is gone is in none of the lists. Throws `driver_error`.
[[nodiscard]] intent_verdicts check_intents(session& own, const core::claim_batch& batch,
                                            const std::vector<core::intent_id>& intents, bool leave_out);

} // namespace ringmaster::storage::mysql
