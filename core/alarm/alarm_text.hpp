#pragma once

// Texts of alarm messages: XXL's subject, table and content (XXL admin §7.3), every value escaped.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/alarm/alarm.hpp"
#include "core/text/language.hpp"

namespace ringmaster::core {

/// One message, the same for every channel.
struct alarm_message {
  /// Single line.
  std::string title;
  /// Plain text of several lines.
  std::string text;
  std::string html;
  /// Values for templates: title, text, job_id, job, group, log_id, kind (`failure`, `recovery`, `summary`, `test`), content,
  /// address, fire_time (ISO 8601, UTC), trigger_code, handle_code, retry_left, count, item, item_run.
  std::map<std::string, std::string, std::less<>> fields;
};

/// Returns the message in XXL's form. `count`: number of failures that the message stands for; `alarm` is the last of them.
[[nodiscard]] alarm_message alarm_message_of(const pending_alarm& alarm, std::uint64_t count, language in);

/// Returns the message in plain text that names the job: `[FAILED] pay-worker/settle-day, run 24: why`. `since`: time of the
/// first failure. `link`: URL of a page of the run, with `{run}` and `{job}`; empty: none. `log`: last lines of the run's log;
/// empty: none.
[[nodiscard]] alarm_message plain_alarm_of(const pending_alarm& alarm, std::uint64_t count, time_point since,
                                           std::string_view link, std::string_view log = {});

/// Returns both forms for an alarm of an elastic job: that with a table, in the language, and the plain one, which names the job
/// and the item: `[FAILED] pay-worker/sums, item 3, run 24: no disk`. They have the fields `item` and `item_run` instead of
/// `log_id`, and no codes. The `kind` is `ej_fail`, `ej_late`, `ej_unowned`, `ej_takeovers` or `recovery`.
[[nodiscard]] alarm_message elastic_message_of(const pending_alarm& alarm, std::uint64_t count, language in);
[[nodiscard]] alarm_message plain_elastic_alarm_of(const pending_alarm& alarm, std::uint64_t count, time_point since,
                                                   std::string_view link);

/// One line of a summary.
struct suppressed_job {
  alarm_job job{};
  std::string name;
  std::uint64_t count = 0;
};

/// Returns the summary of the messages that a channel's limit suppressed. It names at most 50 jobs.
[[nodiscard]] alarm_message summary_message_of(std::span<const suppressed_job> jobs, std::uint64_t count, language in);

/// Returns the message of `ringmaster alarm test` in XXL's form. `sender`: this host.
[[nodiscard]] alarm_message test_message_of(std::string_view sender, language in);

/// Returns the message of `ringmaster alarm test` in the form of `plain_alarm_of`: `[TEST] alarm from this-host`.
[[nodiscard]] alarm_message plain_test_message_of(std::string_view sender, language in);

/// Returns the sender's display name, XXL's.
[[nodiscard]] std::string_view sender_name(language in) noexcept;

/// Replaces `<`, `>`, `&`, `"` and `'` by entities.
[[nodiscard]] std::string escape_html(std::string_view text);

/// Converts HTML that an admin stored (a trigger message) to lines of text: breaks become line feeds, tags are removed, entities
/// are decoded.
[[nodiscard]] std::string text_of_html(std::string_view html);

} // namespace ringmaster::core
