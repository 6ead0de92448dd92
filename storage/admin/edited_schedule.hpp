#pragma once

// Locks and times of a job while a user edits it. They belong to the firing path, which each backend writes for itself.

#include <cstdint>
#include <optional>

#include "core/cluster/cluster_mode.hpp"
#include "core/job/job.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/time.hpp"

namespace ringmaster::storage {

/// For use inside an edit that `admin_session::begin_edit` has begun.
class edited_schedule {
public:
  edited_schedule() = default;
  virtual ~edited_schedule() = default;
  edited_schedule(const edited_schedule&) = delete;
  edited_schedule& operator=(const edited_schedule&) = delete;

  /// Blocks claims of the job until the commit. A job that another program created gets its row of `rm_schedule`.
  virtual void hold_claims(core::job_id job) = 0;

  /// Locks the job in the order of all edits and claims: its schedule, its reserved instants, its row. Returns false if MySQL has
  /// no such job (any more). SQLite: nothing, its one writer is alone.
  [[nodiscard]] virtual bool hold(core::job_id job, core::cluster_mode mode) = 0;

  /// Returns the job as it is planned.
  [[nodiscard]] virtual std::optional<core::scheduled_job> find(core::job_id job) = 0;

  /// Returns whether the next time comes from the job's present schedule.
  [[nodiscard]] virtual bool runs_by_its_schedule(const core::stored_job& stored, const core::scheduled_job& held,
                                                  core::cluster_mode mode) = 0;

  /// Returns the time from which a start or a new schedule counts. SQLite: `now`.
  [[nodiscard]] virtual core::time_point first_start(core::cluster_mode mode, core::time_point now) = 0;

  /// Returns the value that an edit in native mode writes into `xxl_job_info` for a next time. SQLite: the same.
  [[nodiscard]] virtual std::int64_t shown_next(std::int64_t next_ms) = 0;

  /// Saves Java's column of the last instant to `rm_schedule`, in shared mode.
  virtual void keep_last_instant(core::job_id job, core::time_point now) = 0;
};

} // namespace ringmaster::storage
