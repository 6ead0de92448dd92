#pragma once

#include "storage/admin/admin_session.hpp"
#include "storage/alarm_store.hpp"

namespace ringmaster::storage {

/// Alarms of both kinds of jobs: takes and ends those of elastic jobs, and passes all else on to the role for ordinary jobs.
class all_alarms_role final : public alarm_store {
public:
  /// `ordinary` must outlive the role.
  all_alarms_role(admin_session& own, alarm_store& ordinary) : own_{own}, ordinary_{ordinary} {}

  core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again, core::time_point now,
                                                      std::size_t limit) override;
  core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) override;
  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override;
  core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) override;

private:
  core::result<std::vector<core::pending_alarm>> take_elastic(const core::node_incarnation& owner, bool again,
                                                              core::time_point now, std::size_t limit);

  admin_session& own_;
  alarm_store& ordinary_;
};

} // namespace ringmaster::storage
