#pragma once

// What people read when a run failed: XXL's subject, table and content (XXL admin §7.3), every value escaped.

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
  /// One line.
  std::string title;
  /// Lines.
  std::string text;
  std::string html;
  /// For templates: title, text, job_id, job, group, log_id, kind (`failure`, `recovery`, `summary`, `test`), content, address,
  /// fire_time (ISO 8601, UTC), trigger_code, handle_code, retry_left, count.
  std::map<std::string, std::string, std::less<>> fields;
};

/// `count`: how many failures the message stands for; `alarm` is the last of them.
[[nodiscard]] alarm_message alarm_message_of(const pending_alarm& alarm, std::uint64_t count, language in);

/// The same in plain words, which name the job: `[FAILED] pay-worker/settle-day, run 24: why`. `since`: when the first of the
/// failures happened. `link`: of a page of the run, with `{run}` and `{job}`; empty: none. `log`: the last lines of what the run
/// wrote; empty: none.
[[nodiscard]] alarm_message plain_alarm_of(const pending_alarm& alarm, std::uint64_t count, time_point since,
                                           std::string_view link, std::string_view log = {});

/// A line of a summary.
struct suppressed_job {
  job_id job{};
  std::string name;
  std::uint64_t count = 0;
};

/// What a channel's limit kept back. At most 50 jobs are named.
[[nodiscard]] alarm_message summary_message_of(std::span<const suppressed_job> jobs, std::uint64_t count, language in);

/// What `ringmaster alarm test` sends. `sender`: this host.
[[nodiscard]] alarm_message test_message_of(std::string_view sender, language in);

/// The sender's display name, XXL's.
[[nodiscard]] std::string_view sender_name(language in) noexcept;

/// `<`, `>`, `&`, `"` and `'` as entities.
[[nodiscard]] std::string escape_html(std::string_view text);

/// HTML that an admin stored (a trigger message) as lines of text: breaks become line feeds, tags go, entities are read.
[[nodiscard]] std::string text_of_html(std::string_view html);

} // namespace ringmaster::core
