#pragma once

#include "storage/admin/edited_schedule.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// No Java admin plans here, and nothing writes during an edit.
class sqlite_edited_schedule final : public edited_schedule {
public:
  explicit sqlite_edited_schedule(session& own) : own_{own} {}

  void hold_claims(core::job_id job) override;
  bool hold(core::job_id, core::cluster_mode) override { return true; }
  std::optional<core::scheduled_job> find(core::job_id job) override;
  bool runs_by_its_schedule(const core::stored_job& stored, const core::scheduled_job&, core::cluster_mode) override {
    return stored.running;
  }
  core::time_point first_start(core::cluster_mode, core::time_point now) override { return now; }
  std::int64_t shown_next(std::int64_t next_ms) override { return next_ms; }
  void keep_last_instant(core::job_id, core::time_point) override {}

private:
  session& own_;
};

} // namespace ringmaster::storage::sqlite
