#pragma once

#include <optional>

#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// The firing path. Its methods are spread over `jobs.cpp` (reading definitions), `claim.cpp` (T1, T2), `record.cpp` (T3, T4,
/// retries), `adopt.cpp` (T6, T7), `intents.cpp` and `sweep.cpp`.
class firing_role final : public firing_store {
public:
  explicit firing_role(session& own) : own_{own} {}

  core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after,
                                                           std::size_t limit) override;
  core::result<std::int64_t> last_revision() override;
  core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                             core::job_id after) override;
  core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) override;
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override;
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override;
  core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) override;
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override;
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner, std::span<const core::resend> runs) override;
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override;
  core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) override;

private:
  session& own_;
  /// Every row up to this id was seen resolved: the sweep continues after it. Empty before the first sweep.
  std::optional<core::log_id> swept_;
};

/// Returns the job, or nothing when it does not exist (`jobs/jobs.cpp`). Inside a transaction.
[[nodiscard]] std::optional<core::scheduled_job> find_job(session& own, core::job_id job);

} // namespace ringmaster::storage::sqlite
