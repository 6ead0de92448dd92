#pragma once

// Conclusion from an executor's answers about a run of which it is unknown whether it was delivered (firing protocol §6).

#include <cstdint>
#include <string_view>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

enum class unknown_verdict : std::uint8_t {
  /// The executor started it: it was accepted, and its result comes by callback.
  known,
  /// Neither queued nor started: it may be sent again with the same log id.
  not_received,
  /// The job is busy there and the run has no log yet: it may wait in the queue. Ask again later.
  busy,
  /// No answer, or one that proves nothing. Ask again later.
  cannot_tell,
};

/// Answer to `/idleBeat` for a job of which no run is active or queued.
inline constexpr std::int32_t idle_reply = 200;

/// Answer of Python's `pyxxl` in place of the log of a run that it never started.
inline constexpr std::string_view python_log_missing = "No such logid logs.";

/// Two answers of one executor, `/idleBeat` requested first. In the other order, or with `/log` alone, a run that leaves the
/// queue between the two requests would look as if it had never arrived.
struct executor_evidence {
  /// Code of `/idleBeat`: 200 idle, 500 busy, 0 no complete answer.
  std::int32_t idle_code = 0;
  /// False if there is no complete answer to `/log`; then the log members below have no meaning.
  bool log_answered = false;
  /// Text from line 1 on.
  std::string_view log_content;
  /// Last line of the text.
  std::int32_t log_to_line = 0;
  /// One process answers at this address. Otherwise another process at the same address may have the run, and a denial proves
  /// nothing.
  bool is_one_process = true;
  /// The run in question and the present: a log that names another job or another time belongs to an earlier run with the same
  /// id. Job 0 and the epoch are not compared.
  job_id job{};
  time_point fire_at{};
  time_point now{};
};

/// Returns true if the first line of a log belongs to another run: it names another job, the second of another instant, or a time
/// that no time zone places between `fire_at` and `now`.
[[nodiscard]] bool is_of_another_run(std::string_view line, const executor_evidence& asked) noexcept;

/// Returns the conclusion. Only the exact text of a Java, Ringmaster or Python executor proves that a run did not arrive: other
/// clients answer `/log` with constants.
[[nodiscard]] unknown_verdict judge(const executor_evidence& evidence) noexcept;

} // namespace ringmaster::core
