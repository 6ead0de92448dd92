#pragma once

#include "storage/admin/edited_schedule.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// See `storage/mysql/cluster/schedule_lock.hpp`. All methods throw `driver_error`.
class mysql_edited_schedule final : public edited_schedule {
public:
  explicit mysql_edited_schedule(session& own) : own_{own} {}

  void hold_claims(core::job_id job) override;
  bool hold(core::job_id job, core::cluster_mode mode) override;
  std::optional<core::scheduled_job> find(core::job_id job) override;
  bool runs_by_its_schedule(const core::stored_job& stored, const core::scheduled_job& held, core::cluster_mode mode) override;
  core::time_point first_start(core::cluster_mode mode, core::time_point now) override;
  std::int64_t shown_next(std::int64_t next_ms) override;
  void keep_last_instant(core::job_id job, core::time_point now) override;

private:
  session& own_;
};

} // namespace ringmaster::storage::mysql
