#pragma once

// Alarms: recipients of failed runs, and the state that the store keeps (firing protocol, T5; XXL admin §7.2, §7.3).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/elastic/item_alarm.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/ids.hpp"
#include "core/job/alarm_conditions.hpp"
#include "core/run/log_row.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Failed attempts of a run that are reported: each, as in XXL, or only the one that is not retried.
enum class alarm_attempts : std::uint8_t { every_attempt, last_attempt };

/// `every_attempt`, `last_attempt`.
[[nodiscard]] std::string_view stored_name(alarm_attempts value) noexcept;
[[nodiscard]] std::optional<alarm_attempts> find_alarm_attempts(std::string_view name) noexcept;

/// One `[[alarm]]`: recipients for the failures of some jobs, in addition to the e-mail addresses in the job itself.
struct alarm_rule {
  /// Name of the rule, unique in the database.
  std::string key;
  /// App name of a group; empty: every group.
  std::string group;
  /// Key of a declared job of that group; empty: every job.
  std::string job;
  /// Names of configured webhooks.
  std::vector<std::string> channels;
  /// E-mail addresses in addition to the job's own.
  std::vector<std::string> mail_to;
  alarm_attempts on = alarm_attempts::every_attempt;
  /// Deduplication window: failures of a job for the same reason within it are one message. Unset: the setting `alarm.dedup`.
  std::optional<milliseconds> dedup;
  /// Also report the first success after an alarm.
  bool recovered = false;
  /// Kinds of alarms of elastic jobs; empty: all.
  std::vector<elastic::item_alarm> kinds = {};
  friend bool operator==(const alarm_rule&, const alarm_rule&) = default;
};

/// Returns the rule for a job: the one that names the job, else the one of its group, else the one for all groups; of two equal
/// ones the first by key. Null if there is none. `job_key` is empty for a job that is not declared in a file.
[[nodiscard]] const alarm_rule* rule_for(std::span<const alarm_rule> rules, std::string_view app_name,
                                         std::string_view job_key) noexcept;

/// Returns true if a failed attempt of a job with these addresses and this rule (or none) raises an alarm.
[[nodiscard]] bool needs_alarm(std::string_view alarm_email, const alarm_rule* rule, bool will_be_retried) noexcept;

/// Returns true if an alarm of this kind of an elastic job with these addresses and this rule (or none) is to be sent.
[[nodiscard]] bool needs_alarm(std::string_view alarm_email, const alarm_rule* rule, elastic::item_alarm kind) noexcept;

/// Returns the addresses of `alarm_email`, a comma list, and of the rule, without duplicates and without blanks around them.
[[nodiscard]] std::vector<std::string> mail_addresses(std::string_view alarm_email, const alarm_rule* rule);

/// Returns kinds as one text, `ej_fail,ej_late`; empty for all.
[[nodiscard]] std::string item_alarms_text(std::span<const elastic::item_alarm> kinds);
/// Reads it; unknown kinds are left out.
[[nodiscard]] std::vector<elastic::item_alarm> read_item_alarms(std::string_view text);

/// Joins several texts into one column, separated by line feeds.
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

/// Identity of an alarm: ordinary and elastic jobs have tables of their own.
using alarm_id = std::variant<intent_id, elastic::elastic_alarm_id>;
/// Job of an alarm.
using alarm_job = std::variant<job_id, elastic::elastic_job_id>;
[[nodiscard]] inline std::int64_t number(const alarm_id& id) {
  return std::visit([](auto each) -> std::int64_t { return number(each); }, id);
}
[[nodiscard]] inline std::int64_t number(const alarm_job& job) {
  return std::visit([](auto each) -> std::int64_t { return number(each); }, job);
}

/// Subject of an alarm of an elastic job.
struct elastic_subject {
  elastic::elastic_job_id job{};
  /// Unset for a recovery.
  std::optional<elastic::alarm_cause> cause;
  elastic::item_number item = elastic::whole_job;
  /// The run that failed; for a recovery, the one that succeeded. 0: none.
  elastic::item_run_id run{};
  friend bool operator==(const elastic_subject&, const elastic_subject&) = default;
};

/// Data of an elastic job's alarm for a message.
struct elastic_alarm : elastic_subject {
  /// As of `elastic::raised_alarm`.
  time_point fire{};
  std::int64_t amount = 0;
  /// Id of the host, attempt and text of the failure of the run. Empty without a run.
  std::string host = {};
  std::int32_t attempt = 0;
  std::string message = {};
};

/// Data of the job for a message. Read when the alarm is taken, so that no job in memory carries it.
struct alarmed_job {
  std::string name;
  std::string group_title;
  std::string alarm_email;
  std::optional<alarm_rule> rule = {};
  alarm_conditions requested = {};
  /// From the job's group: whether its addresses are manual, and the comma list (unset: none).
  bool manual_addresses = false;
  std::optional<std::string> addresses = {};
  std::string app_name = {};
  /// Key of a declared job.
  std::string key = {};
};

/// An alarm that this node has taken: a row of `rm_intent` or `ej_alarm` until it is finished.
struct pending_alarm {
  alarm_id id{};
  alarm_kind kind = alarm_kind::failure;
  job_id job{};
  /// The failed run; for a recovery, the first that succeeded.
  log_id origin{};
  /// Time of the decision to raise the alarm.
  time_point since{};
  /// Unset if its row does not exist any more. Messages are cut to a readable length.
  std::optional<log_row> run;
  /// Unset if the job does not exist any more.
  std::optional<alarmed_job> about;
  /// Set for an elastic job, which has neither `job`, `origin` nor `run`.
  std::optional<elastic_alarm> elastic = {};

  [[nodiscard]] alarm_job subject() const { return elastic ? alarm_job{elastic->job} : alarm_job{job}; }
};

/// Outcome of an alarm.
struct alarm_end {
  alarm_id id{};
  /// `alarm_status::not_needed`, `sent` or `failed`.
  std::int32_t status = alarm_status::sent;
  /// The job's next success is to be reported.
  bool await_recovery = false;
};

/// One step of the sweep for failures whose alarm is still undecided.
struct failure_sweep {
  /// Failed runs whose retry and alarm were decided now.
  std::size_t decided = 0;
  /// Number of these that were claims of an admin that died before it finished them.
  std::size_t released = 0;
  /// Retries that were written and are to be claimed.
  std::vector<intent> intents;
  /// A limit ended the step, and more can be decided now.
  bool more = false;
};

} // namespace ringmaster::core
