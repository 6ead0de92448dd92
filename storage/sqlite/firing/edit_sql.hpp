#pragma once

// Statements on edits of jobs that several transactions use.

namespace ringmaster::storage::sqlite {

inline constexpr char raise_edits[] = "UPDATE rm_edit SET counter = counter + 1 WHERE id = 1";
inline constexpr char read_edits[] = "SELECT counter FROM rm_edit WHERE id = 1";
/// A job that another program created may have no row yet.
inline constexpr char ensure_schedule[] = "INSERT OR IGNORE INTO rm_schedule (job) VALUES (?1)";
inline constexpr char touch_schedule[] = "UPDATE rm_schedule SET revision = ?2 WHERE job = ?1";
inline constexpr char write_next[] = "UPDATE rm_schedule SET next_ms = ?2 WHERE job = ?1";
inline constexpr char delete_stop[] = "DELETE FROM rm_stop WHERE job = ?1";
inline constexpr char delete_waiting_cron[] = "DELETE FROM rm_intent WHERE job = ?1 AND kind = 'cron' AND state = 0";

} // namespace ringmaster::storage::sqlite
