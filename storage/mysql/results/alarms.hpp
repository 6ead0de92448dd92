#pragma once

#include "core/maintenance/log_maintenance.hpp"
#include "storage/alarm_store.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/rows/alarm_book.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// Takes and ends alarms (`alarms.cpp`), and sweeps for failures without a decision (`failures.cpp`).
class alarm_role final : public alarm_store {
public:
  /// `logs` must outlive the role.
  alarm_role(session& own, log_store& logs) : own_{own}, logs_{logs} {}

  core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again, core::time_point now,
                                                      std::size_t limit) override;
  core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) override;
  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override;
  core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) override;

private:
  /// A job whose alarm is open, and the run that ends it.
  struct recovery {
    core::job_id job{};
    core::log_id failed{};
    core::log_id success{};
  };
  /// Number of log ids that one step reads where the log has no index on the job.
  static constexpr std::int64_t recovery_ids_per_look = 10'000;

  /// Throws `driver_error`, as the next two.
  std::vector<recovery> ask_by_job(std::size_t limit);
  std::vector<recovery> look_through_log();
  std::vector<recovery> successes(const core::log_range& range);

  session& own_;
  log_store& logs_;
  failure_progress failures_;
  /// The last job that was checked for its recovery.
  core::job_id recovery_{};
  /// Progress of the present walk through a log without that index.
  core::log_id walked_{};
};

} // namespace ringmaster::storage::mysql
