#pragma once

#include "storage/mysql/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// Progress of the sweep for abandoned runs, in this store.
struct sweep_progress {
  /// False before the first call, which looks for the beginning.
  bool started = false;
  /// Every run up to this one is permanently resolved.
  core::log_id swept{};
  /// Every run up to this one is committed.
  core::log_id settled{};
  /// The newest run, and the age limit of the call that saw it.
  core::log_id seen{};
  core::time_point seen_at{};
};

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
  sweep_progress sweep_;
};

} // namespace ringmaster::storage::mysql
