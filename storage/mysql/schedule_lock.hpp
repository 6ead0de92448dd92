#pragma once

// XXL's lock on the schedule, and the mode that says who must take it. All inside a transaction; all throw `driver_error`.

#include "core/cluster_mode.hpp"
#include "core/result.hpp"
#include "storage/mysql/connection.hpp"

namespace ringmaster::storage::mysql {

/// Takes the row `schedule_lock` until the end of the transaction. Errors: `unsupported` when there is no such row.
[[nodiscard]] core::result<void> lock_schedule(connection& db);

/// A database without a mode row is native.
[[nodiscard]] core::mode_state read_mode(connection& db);

/// Begins an edit of jobs or groups: takes the locks that every edit takes, in the order in which all take them, to the end of
/// the transaction. In shared mode that is `schedule_lock` first, so that no Java admin writes back what it read before the edit
/// (S2); then the mode row, so that the mode stays; then `rm_edit`, so that revisions are in the order of commits.
[[nodiscard]] core::result<core::cluster_mode> begin_edit(connection& db);

/// Writes when a job fires where the schedule is `xxl_job_info`, inside an edit: its last instant goes to `rm_schedule`, because a
/// start must not come before what anybody took; Java's column begins anew (XXL admin §3.6). `next_ms` 0: never.
void write_shared_schedule(connection& db, core::job_id job, bool running, std::int64_t next_ms);

/// A start or a new schedule counts from here: in shared mode Java admins may have in memory what is due within 5 s (XXL admin
/// §3.6).
[[nodiscard]] constexpr core::time_point first_start(core::cluster_mode mode, core::time_point now) noexcept {
  return mode == core::cluster_mode::shared ? now + core::milliseconds{5000} : now;
}

} // namespace ringmaster::storage::mysql
