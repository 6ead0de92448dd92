#pragma once

// Conditions on runs that no index serves, next to their statuses (`run_status_sql.hpp`), for both databases.

#define RINGMASTER_IS_KIND(wanted, bit, note, text_cn, text_tc, text_en, utf8)                                                   \
  "(" wanted " & " bit ") <> 0 AND (trigger_msg LIKE 'rm_;" note ";%' OR trigger_msg LIKE 'rm_;" note "@%' OR " utf8             \
  " LIKE '任务触发类型：" text_cn "<%' OR " utf8 " LIKE '任務觸發類型：" text_tc "<%' OR " utf8                                                \
  " LIKE 'Job trigger type：" text_en "<%')"

/// The condition that a run is of a wanted kind (`core::trigger_kind`). Agrees with `core::origin_of`. `wanted`: placeholder of a
/// bit mask with n as bit n, for seven values. `utf8`: `trigger_msg` as UTF-8. Texts of other kinds are not compared.
#define RINGMASTER_HAS_KIND(wanted, utf8)                                                                                        \
  "(" RINGMASTER_IS_KIND(wanted, "1", "cron", "Cron触发", "Cron觸發", "Cron trigger", utf8)                                          \
    " OR " RINGMASTER_IS_KIND(wanted, "2", "misfire", "调度过期补偿", "調度過期補償", "Misfire compensation trigger", utf8)                  \
    " OR " RINGMASTER_IS_KIND(wanted, "4", "manual", "手动触发", "手動觸發", "Manual trigger", utf8)                                     \
    " OR " RINGMASTER_IS_KIND(wanted, "8", "parent", "父任务触发", "父任務觸發", "Parent job trigger", utf8)                               \
    " OR " RINGMASTER_IS_KIND(wanted, "16", "retry", "失败重试触发", "失敗重試觸發", "Fail retry trigger", utf8)                             \
    " OR " RINGMASTER_IS_KIND(wanted, "32", "api", "API触发", "API觸發", "Api trigger", utf8)                                        \
    " OR " RINGMASTER_IS_KIND(wanted, "64", "missed", "调度过期，已忽略", "調度過期，已忽略", "Missed, not triggered", utf8) ")"

/// The condition that the words about the sending, or those of a result, contain a text. `pattern`, `pattern_after_note`:
/// placeholders of `run_terms::words` and `words_after_note`. `trigger_msg`, `handle_msg`: the columns as UTF-8.
#define RINGMASTER_HAS_WORDS(pattern, pattern_after_note, trigger_msg, handle_msg)                                               \
  "(handle_code + 0 <> 0 AND " handle_msg " LIKE " pattern " ESCAPE '|' OR " trigger_msg " LIKE " pattern " ESCAPE '|'"          \
  " AND (" trigger_msg " NOT LIKE 'rm_;%' OR " trigger_msg " LIKE " pattern_after_note " ESCAPE '|'))"
