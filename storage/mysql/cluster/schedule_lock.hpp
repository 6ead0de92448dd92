#pragma once

// XXL's lock on the schedule, and the mode that says who must take it. All inside a transaction; all throw `driver_error`.

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/result.hpp"
#include "storage/mysql/driver/connection.hpp"

namespace ringmaster::storage::mysql {

/// That a row `e` of `rm_job_ext` has options of a schedule.
#define RINGMASTER_HAS_OPTIONS                                                                                                   \
  "COALESCE(e.time_zone, e.interval_ms, e.start_at, e.end_at, e.jitter_ms) IS NOT NULL"

/// Takes the row `schedule_lock` until the end of the transaction. Errors: `unsupported` when there is no such row.
[[nodiscard]] core::result<void> lock_schedule(connection& db);

/// Errors: `unsupported` when `rm_mode` has no row, or another word: nobody guesses who plans.
[[nodiscard]] core::result<core::mode_state> read_mode(connection& db);

/// Whether it is known that Java admins do not plan here.
[[nodiscard]] bool is_native(connection& db);

/// Whether `xxl_job_info` may show what `rm_schedule` plans: in native mode, and not within a minute of a switch or of its
/// announcement, while a Java admin that comes by the lock must find nothing due there.
[[nodiscard]] bool may_show_schedule(connection& db);

/// The last second of the year 9999: what `xxl_job_info` shows as the next time of a running job while `may_show_schedule`
/// says no.
inline constexpr std::int64_t hidden_next_ms = 253'402'300'799'000;

/// What an edit in native mode writes into `xxl_job_info` for a next time. Inside an edit, whose lock keeps the mode row as it
/// is.
[[nodiscard]] std::int64_t shown_next(connection& db, std::int64_t next_ms);

/// Begins an edit of jobs or groups: takes the locks that every edit takes, in the order in which all take them, to the end of
/// the transaction. In shared mode that is `schedule_lock` first, so that no Java admin writes back what it read before the edit
/// (S2); then the mode row, so that the mode stays; then `rm_edit`, so that revisions are in the order of commits.
[[nodiscard]] core::result<core::cluster_mode> begin_edit(connection& db);

/// Holds claims of the job off until the commit, and waits for those that are under way: what is read after this is as they left
/// it. A job that came without us gets its row.
void hold_claims(connection& db, core::job_id job);

/// Beside Java admins a claim locks none of the jobs whose reserved instants it takes, so the edit holds these: it waits for
/// claims that are under way, and what comes later finds the new definition (F5). `schedule_lock` keeps more from being reserved.
/// By id, as claims lock them.
void lock_reserved(connection& db, std::span<const core::job_id> jobs);

/// In shared mode, inside an edit, before Java's column of the last instant begins anew (XXL admin §3.6): it goes to
/// `rm_schedule`, because a start must not come before what anybody took. What only a wrong clock can have written becomes `now`.
void keep_last_instant(connection& db, core::job_id job, core::time_point now);

/// Puts the present in the place of a last instant that only a wrong clock can have written, inside an edit in native mode that
/// writes a next time.
void doubt_last_instant(connection& db, core::job_id job, core::time_point now);

/// Writes when a job fires where the schedule is `xxl_job_info`, inside an edit. `next_ms` 0: never.
void write_shared_schedule(connection& db, core::job_id job, bool running, std::int64_t next_ms, core::time_point now);

/// Running jobs with options of the schedule that Java admins do not know (`core::schedule_options`), ascending.
[[nodiscard]] std::vector<core::job_id> running_with_options(connection& db);

/// A start or a new schedule counts from here, 5 s from `now` where a Java admin may have in memory what is due within them (XXL
/// admin §3.6): in shared mode, and while times are hidden behind a takeover.
[[nodiscard]] core::time_point first_start(connection& db, core::cluster_mode mode, core::time_point now);

} // namespace ringmaster::storage::mysql
