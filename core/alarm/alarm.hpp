#pragma once

// Alarms: who is told of a failed run, and what the store keeps of it (firing protocol, T5; XXL admin §7.2, §7.3).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/alarm_conditions.hpp"
#include "core/ids.hpp"
#include "core/run/log_row.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Which failed attempts of a run are told: each, as XXL does, or only the one that is not retried.
enum class alarm_attempts : std::uint8_t { every_attempt, last_attempt };

/// `every_attempt`, `last_attempt`.
[[nodiscard]] std::string_view stored_name(alarm_attempts value) noexcept;
[[nodiscard]] std::optional<alarm_attempts> find_alarm_attempts(std::string_view name) noexcept;

/// One `[[alarm]]`: whom to tell of the failures of some jobs, beside the mail addresses that stand in the job itself.
struct alarm_rule {
  /// Its name: one rule in the database.
  std::string key;
  /// App name of a group; empty: every group.
  std::string group;
  /// Key of a declared job of that group; empty: every job.
  std::string job;
  /// Names of configured webhooks.
  std::vector<std::string> channels;
  /// Mail addresses beside the job's own.
  std::vector<std::string> mail_to;
  alarm_attempts on = alarm_attempts::every_attempt;
  /// Failures of a job for the same reason are one message in so long; nothing: the configuration's `alarm.dedup`.
  std::optional<milliseconds> dedup;
  /// Tell of the first success after an alarm, too.
  bool recovered = false;
  friend bool operator==(const alarm_rule&, const alarm_rule&) = default;
};

/// The rule that counts for a job: the one that names the job, else its group, else everything; of two equal ones the first by
/// key. Null when there is none. `job_key` is empty for a job that no file declares.
[[nodiscard]] const alarm_rule* rule_for(std::span<const alarm_rule> rules, std::string_view app_name,
                                         std::string_view job_key) noexcept;

/// Whether a failed attempt of a job with these addresses and this rule (or none) raises an alarm.
[[nodiscard]] bool needs_alarm(std::string_view alarm_email, const alarm_rule* rule, bool will_be_retried) noexcept;

/// The addresses of `alarm_email`, a comma list, and of the rule: each once, without the blanks around them.
[[nodiscard]] std::vector<std::string> mail_addresses(std::string_view alarm_email, const alarm_rule* rule);

/// Several texts in one column, separated by line feeds.
[[nodiscard]] std::string join_lines(std::span<const std::string> texts);
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);

/// `xxl_job_log.alarm_status`, with XXL's numbers.
namespace alarm_status {
inline constexpr std::int32_t undecided = 0;
inline constexpr std::int32_t claimed = -1;
inline constexpr std::int32_t not_needed = 1;
inline constexpr std::int32_t sent = 2;
inline constexpr std::int32_t failed = 3;
} // namespace alarm_status

enum class alarm_kind : std::uint8_t { failure, recovery };

/// What a message says about the job; read when the alarm is taken, so that no job in memory carries it.
struct alarmed_job {
  std::string name;
  std::string group_title;
  std::string alarm_email;
  std::optional<alarm_rule> rule = {};
  alarm_conditions requested = {};
  /// Of its group: typed in by hand, and the comma list (nothing: there is none).
  bool manual_addresses = false;
  std::optional<std::string> addresses = {};
  std::string app_name = {};
  /// Of a declared job.
  std::string key = {};
};

/// An alarm that this node has taken: a row of `rm_intent` until it is finished.
struct pending_alarm {
  intent_id id{};
  alarm_kind kind = alarm_kind::failure;
  job_id job{};
  /// The failed run; for a recovery, the first that succeeded.
  log_id origin{};
  /// When the alarm was decided.
  time_point since{};
  /// Nothing: its row is gone. Messages are cut to what a person reads.
  std::optional<log_row> run;
  /// Nothing: the job is gone.
  std::optional<alarmed_job> about;
};

/// What became of an alarm.
struct alarm_end {
  intent_id id{};
  /// `alarm_status::not_needed`, `sent` or `failed`.
  std::int32_t status = alarm_status::sent;
  /// The job's next success is to be told.
  bool await_recovery = false;
};

/// One step of the sweep for failures that nobody decided about.
struct failure_sweep {
  /// Failed runs whose retry and alarm were decided now.
  std::size_t decided = 0;
  /// Of these, claims of an admin that died: it had taken them and not finished.
  std::size_t released = 0;
  /// Retries that were written: to be claimed.
  std::vector<intent> intents;
  /// A bound ended the step; what lies behind it can be done now.
  bool more = false;
};

} // namespace ringmaster::core
