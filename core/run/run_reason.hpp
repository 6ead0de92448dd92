#pragma once

// Why a run did not succeed, as far as its codes and texts tell. Pure. The API, the console and the commands show the same
// reason.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/run/log_row.hpp"
#include "core/run/noted_run.hpp"

namespace ringmaster::core {

/// The closed list of reasons; `to_string` gives the names of the API.
enum class failure_reason : std::uint8_t {
  /// No executor was registered, or none of them was ready.
  no_executor,
  /// The executor refused the run.
  refused,
  connection_refused,
  connect_timeout,
  /// The executor did not answer in time; it may have the run.
  no_answer,
  /// It is unknown whether the executor received the run.
  delivery_unknown,
  handler_not_found,
  /// The job was still running, and its block strategy discards later runs.
  blocked_discarded,
  /// A later run of the job ended it (COVER_EARLY).
  replaced_by_later,
  timed_out,
  killed,
  /// The executor accepted the run and its result never came.
  lost,
  /// A script or program ended with an exit code other than 0.
  script_exit,
  /// The executor reported a failure.
  failed,
  bad_token,
  bad_parameter,
  /// The node that claimed the run died before it sent it.
  node_died,
  /// Too late for the misfire policy.
  missed,
  /// Not sent for another reason.
  not_sent
};
[[nodiscard]] std::string_view to_string(failure_reason reason) noexcept;

/// Cause of the end of a run that its executor or a user ended.
enum class end_cause : std::uint8_t { user, later_run, handler_changed, source_changed, executor_stopped };
[[nodiscard]] std::string_view to_string(end_cause cause) noexcept;

/// A result that says that the run was ended.
struct reported_end {
  end_cause cause = end_cause::user;
  /// The run waited in the executor's queue and had not begun.
  bool before_start = false;
  /// Words that follow. Part of the report.
  std::string_view words = {};
};

/// Parses a result without HTML; unset for any other result. Knows the reports of executors (XXL wire §5) and the result that an
/// admin records for a kill.
[[nodiscard]] std::optional<reported_end> read_end(std::string_view report) noexcept;

struct run_reason {
  failure_reason code = failure_reason::failed;
  /// Words of the executor or of the node, without HTML and without the prefix that `code` stands for; may be empty.
  std::string text = {};
  /// For `script_exit`.
  std::optional<std::int64_t> exit_code = {};
  /// For `timed_out`, if the trigger message tells it.
  std::optional<std::int64_t> timeout_s = {};
  /// For `handler_not_found`, if the words tell it.
  std::string handler = {};
  /// For `killed` and `replaced_by_later`.
  std::optional<reported_end> end = {};
};

/// Returns the reason; unset for a run that succeeded or is open, and for a row of dropped instants.
[[nodiscard]] std::optional<run_reason> reason_of(const noted_run& run);
[[nodiscard]] std::optional<run_reason> reason_of(const log_row& run);

/// Returns the words about the sending without HTML: the answer or reason after our note, or the whole text of a Java admin.
[[nodiscard]] std::string trigger_words(const noted_run& run);

/// Returns the result without HTML; empty while there is none.
[[nodiscard]] std::string result_words(const log_row& run);

} // namespace ringmaster::core
