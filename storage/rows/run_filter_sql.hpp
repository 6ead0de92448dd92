#pragma once

// Conditions on runs that no index serves, next to their statuses (`run_status_sql.hpp`), for both databases.

#define RINGMASTER_OF_KIND(trigger_msg, note, text_cn, text_tc, text_en, bit)                                                    \
  " WHEN " trigger_msg " LIKE 'rm_;" note ";%' OR " trigger_msg " LIKE 'rm_;" note "@%' OR " trigger_msg                         \
  " LIKE '任务触发类型：" text_cn "<%' OR " trigger_msg " LIKE '任務觸發類型：" text_tc "<%' OR " trigger_msg                                  \
  " LIKE 'Job trigger type：" text_en "<%' THEN " bit

/// The kind of a run (`core::trigger_kind`) as a bit, n as bit n; 0 if the text does not tell it. Agrees with `core::origin_of`.
/// `trigger_msg`: the column as UTF-8.
#define RINGMASTER_KIND_BIT(trigger_msg)                                                                                         \
  "(CASE" RINGMASTER_OF_KIND(trigger_msg, "cron", "Cron触发", "Cron觸發", "Cron trigger", "1")                                       \
    RINGMASTER_OF_KIND(trigger_msg, "misfire", "调度过期补偿", "調度過期補償", "Misfire compensation trigger", "2")                          \
    RINGMASTER_OF_KIND(trigger_msg, "manual", "手动触发", "手動觸發", "Manual trigger", "4")                                             \
    RINGMASTER_OF_KIND(trigger_msg, "parent", "父任务触发", "父任務觸發", "Parent job trigger", "8")                                       \
    RINGMASTER_OF_KIND(trigger_msg, "retry", "失败重试触发", "失敗重試觸發", "Fail retry trigger", "16")                                     \
    RINGMASTER_OF_KIND(trigger_msg, "api", "API触发", "API觸發", "Api trigger", "32")                                                \
    RINGMASTER_OF_KIND(trigger_msg, "missed", "调度过期，已忽略", "調度過期，已忽略", "Missed, not triggered", "64") " ELSE 0 END)"

/// The condition that the words about the sending, or those of a result, contain a text. `pattern`, `pattern_after_note`:
/// placeholders of `run_terms::words` and `words_after_note`. `trigger_msg`, `handle_msg`: the columns as UTF-8.
#define RINGMASTER_HAS_WORDS(pattern, pattern_after_note, trigger_msg, handle_msg)                                               \
  "(handle_code + 0 <> 0 AND " handle_msg " LIKE " pattern " ESCAPE '|' OR " trigger_msg " LIKE " pattern " ESCAPE '|'"          \
  " AND (" trigger_msg " NOT LIKE 'rm_;%' OR " trigger_msg " LIKE " pattern_after_note " ESCAPE '|'))"
