#pragma once

// XXL's lock on the schedule, and the mode that decides which programs must take it. All functions run inside a transaction and
// throw `driver_error`.

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/result.hpp"
#include "storage/mysql/driver/connection.hpp"

namespace ringmaster::storage::mysql {

/// Condition: a row `e` of `rm_job_ext` has schedule options.
#define RINGMASTER_HAS_OPTIONS                                                                                                   \
  "COALESCE(e.time_zone, e.interval_ms, e.start_at, e.end_at, e.jitter_ms) IS NOT NULL"

/// Takes the row `schedule_lock` until the end of the transaction. Errors: `unsupported` when there is no such row.
[[nodiscard]] core::result<void> lock_schedule(connection& db);

/// Errors: `unsupported` when `rm_mode` has no row or an unknown word, because the mode must not be guessed.
[[nodiscard]] core::result<core::mode_state> read_mode(connection& db);

/// Returns whether the mode is known to be native: Java admins do not plan here.
[[nodiscard]] bool is_native(connection& db);

/// Returns whether `xxl_job_info` may show what `rm_schedule` plans: in native mode, and not within a minute of a switch or of
/// its announcement, while a Java admin that gets the lock must find nothing due there.
[[nodiscard]] bool may_show_schedule(connection& db);

/// The last second of the year 9999: shown in `xxl_job_info` as the next time of a running job while `may_show_schedule` returns
/// false.
inline constexpr std::int64_t hidden_next_ms = 253'402'300'799'000;

/// Returns the value that an edit in native mode writes into `xxl_job_info` for a next time. Called inside an edit, whose lock
/// keeps the mode row unchanged.
[[nodiscard]] std::int64_t shown_next(connection& db, std::int64_t next_ms);

/// Begins an edit of jobs or groups: takes the locks of every edit, always in the same order, until the end of the transaction.
/// In shared mode that is `schedule_lock` first, so that no Java admin writes back what it read before the edit (S2); then the
/// mode row, so that the mode stays; then `rm_edit`, so that revisions are in the order of commits.
[[nodiscard]] core::result<core::cluster_mode> begin_edit(connection& db);

/// Blocks claims of the job until the commit, and waits for claims in progress: later reads see their result. A job that another
/// program created gets its row.
void hold_claims(connection& db, core::job_id job);

/// Locks the waiting reserved instants of these jobs for an edit in shared mode, where a claim locks no job whose reserved
/// instants it takes. Waits for claims in progress; later claims find the new definition (F5). `schedule_lock` prevents further
/// reservations. Locks by id, in the order of claims.
void lock_reserved(connection& db, std::span<const core::job_id> jobs);

/// Saves Java's column of the last instant to `rm_schedule`, inside an edit in shared mode, before the column starts again from
/// zero (XXL admin §3.6): a start must not come before an instant that was taken. A value that only a wrong clock can have
/// written becomes `now`.
void keep_last_instant(connection& db, core::job_id job, core::time_point now);

/// Returns running jobs with schedule options that Java admins do not know (`core::schedule_options`), ascending.
[[nodiscard]] std::vector<core::job_id> running_with_options(connection& db);

/// Returns the time from which a start or a new schedule counts: 5 s after `now` where a Java admin may have the instants within
/// them in memory (XXL admin §3.6), i.e. in shared mode and while times are hidden after a takeover.
[[nodiscard]] core::time_point first_start(connection& db, core::cluster_mode mode, core::time_point now);

} // namespace ringmaster::storage::mysql
