#pragma once

// The statuses of a run (`core::run_status`) as conditions on columns of `xxl_job_log`, for both databases. No index serves them.
// A status is derived from codes; those of results that the server or an executor records in fixed words, from these words, too
// (`core::reason_of`).

#define RINGMASTER_SUCCEEDED "handle_code + 0 = 200"
#define RINGMASTER_FAILED "(trigger_code NOT IN (0, 200) OR handle_code + 0 NOT IN (0, 200))"
#define RINGMASTER_RUNNING "trigger_code = 200 AND handle_code + 0 = 0"
#define RINGMASTER_MISSED "trigger_code = 500 AND handle_code + 0 = 0 AND trigger_msg LIKE 'rm3;missed;%'"
#define RINGMASTER_PENDING "trigger_code = 0 AND handle_code + 0 = 0"
#define RINGMASTER_TIMED_OUT "handle_code + 0 = 502"
#define RINGMASTER_NOT_SENT                                                                                                      \
  "trigger_code NOT IN (0, 200) AND handle_code + 0 = 0 AND COALESCE(trigger_msg, '') NOT LIKE 'rm3;missed;%'"                   \
  " AND COALESCE(trigger_msg, '') NOT LIKE '%delivery unknown: %'"
#define RINGMASTER_UNKNOWN                                                                                                       \
  "trigger_code NOT IN (0, 200) AND handle_code + 0 = 0 AND trigger_msg LIKE '%delivery unknown: %'"
#define RINGMASTER_LOST(handle_msg)                                                                                              \
  "handle_code + 0 = 500 AND " handle_msg " IN ('任务结果丢失，标记失败', '任務結果丟失，標記失敗', 'Job result lost, marked as failure')"
#define RINGMASTER_KILLED(handle_msg)                                                                                            \
  "handle_code + 0 = 500 AND (" handle_msg " LIKE '人为操作，主动终止:%' OR " handle_msg " LIKE '人為操作，主動終止:%'"                            \
  " OR " handle_msg " LIKE 'Manual operation, kill job:%' OR " handle_msg " LIKE 'scheduling center kill job. [job %'"           \
  " OR " handle_msg " LIKE 'block strategy effect：Cover Early [job %'"                                                           \
  " OR " handle_msg " LIKE 'change job%, and terminate the old job thread. [job %'"                                              \
  " OR " handle_msg " LIKE 'web container destroy and kill the job. [job %')"
#define RINGMASTER_STATUS_BIT(condition, bit) "(CASE WHEN " condition " THEN " bit " ELSE 0 END)"

/// The condition that a run has one of the wanted statuses. `chosen`: placeholder of a status, or of -1 for several statuses.
/// `several`: placeholder of their bit mask, with bit n for status n. `handle_msg`: the column as UTF-8.
#define RINGMASTER_HAS_STATUS(chosen, several, handle_msg)                                                                       \
  "CASE " chosen " WHEN 1 THEN " RINGMASTER_SUCCEEDED " WHEN 2 THEN " RINGMASTER_FAILED " WHEN 3 THEN " RINGMASTER_RUNNING       \
  " WHEN 4 THEN " RINGMASTER_MISSED " WHEN 5 THEN " RINGMASTER_PENDING " WHEN 6 THEN " RINGMASTER_TIMED_OUT                      \
  " WHEN 7 THEN " RINGMASTER_NOT_SENT " WHEN 8 THEN " RINGMASTER_LOST(handle_msg) " WHEN 9 THEN " RINGMASTER_KILLED(handle_msg)  \
  " WHEN 10 THEN " RINGMASTER_UNKNOWN                                                                                            \
  " WHEN -1 THEN (" several " & (" RINGMASTER_STATUS_BIT(RINGMASTER_SUCCEEDED, "2")                                              \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_FAILED, "4") " + " RINGMASTER_STATUS_BIT(RINGMASTER_RUNNING, "8")                       \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_MISSED, "16") " + " RINGMASTER_STATUS_BIT(RINGMASTER_PENDING, "32")                     \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_TIMED_OUT, "64") " + " RINGMASTER_STATUS_BIT(RINGMASTER_NOT_SENT, "128")                \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_LOST(handle_msg), "256")                                                                \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_KILLED(handle_msg), "512")                                                              \
  " + " RINGMASTER_STATUS_BIT(RINGMASTER_UNKNOWN, "1024") ")) <> 0 ELSE 1 END"
