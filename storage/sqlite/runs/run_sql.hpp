#pragma once

// Statements on claims and their runs that several transactions use.

namespace ringmaster::storage::sqlite {

inline constexpr char list_open_claims[] = "SELECT first_log_id, items FROM rm_claim";
inline constexpr char find_own_claim[] =
  "SELECT maybe_sent, first_log_id, items FROM rm_claim WHERE node = ?1 AND incarnation = ?2 AND seq = ?3";
inline constexpr char delete_own_claim[] = "DELETE FROM rm_claim WHERE node = ?1 AND incarnation = ?2 AND seq = ?3";
/// Reads a run as it was claimed; finds nothing once its trigger code is known.
inline constexpr char read_claimed_run[] =
  "SELECT executor_address, executor_param, executor_fail_retry_count, handle_code FROM xxl_job_log "
  "WHERE id = ?1 AND trigger_code = 0";
inline constexpr char insert_failed_run[] = "INSERT OR IGNORE INTO rm_failed_run (log_id, job, fire_ms) VALUES (?1, ?2, ?3)";

/// The first and the last id of the log, 0 without one. As two subqueries, because only then does SQLite seek the ends instead of
/// reading all rows.
inline constexpr char log_span_text[] =
  "SELECT coalesce((SELECT min(id) FROM xxl_job_log), 0), coalesce((SELECT max(id) FROM xxl_job_log), 0)";

} // namespace ringmaster::storage::sqlite
