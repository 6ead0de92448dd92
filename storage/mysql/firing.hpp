#pragma once

#include "storage/mysql/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// The firing path. Its methods are spread over `jobs.cpp` (reading definitions), `claim.cpp` (T1, T2), `record.cpp` (T3, T4, retries) and
/// `adopt.cpp` (T6, T7 and the sweeps).
class firing_role final : public firing_store {
public:
  explicit firing_role(session& own) : own_{own} {}

  core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after, std::size_t limit) override;
  core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit) override;
  core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) override;
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override;
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override;
  core::result<std::vector<std::int64_t>> open_claims(const core::node_life& owner) override;
  core::result<std::vector<core::adopted_run>> adopt(const core::node_life& owner, std::int64_t sequence, std::size_t limit) override;
  core::result<bool> permit_resend(const core::node_life& owner, std::int64_t claim, core::log_id run) override;
  core::result<std::vector<core::intent>> waiting_intents(core::time_point created_before, std::size_t limit) override;
  core::result<std::size_t> fail_abandoned(core::time_point before, std::size_t limit) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::mysql
