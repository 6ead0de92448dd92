#pragma once

#include "storage/alarm_store.hpp"
#include "storage/rows/alarm_book.hpp"
#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

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
  session& own_;
  log_store& logs_;
  failure_progress failures_;
  /// The last job that was checked for its recovery.
  core::job_id recovery_{};
};

} // namespace ringmaster::storage::sqlite
