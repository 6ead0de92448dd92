#pragma once

// Texts of an executor about runs, with XXL-JOB's words (XXL wire §2.6 to §2.8, §5.4), and the validation of results.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/run/trigger_request.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

inline constexpr std::int32_t run_succeeded = 200;
inline constexpr std::int32_t run_failed = 500;
/// It is unknown whether the run was accepted.
inline constexpr std::int32_t run_unknown = 0;
inline constexpr std::int32_t run_timed_out = 502;

inline constexpr std::string_view busy_text = "job thread is running or has trigger queue.";
inline constexpr std::string_view already_killed_text = "job thread already killed.";
inline constexpr std::string_view discard_later_text = "block strategy effect：Discard Later";
inline constexpr std::string_view timeout_text = "job execute timeout ";
inline constexpr std::string_view result_lost_text = "job handle result lost.";
/// For runs that an earlier process left open.
inline constexpr std::string_view ended_running_text =
  "the executor was ended while the run was open; whether it ran to its end is not known";
inline constexpr std::string_view ended_waiting_text = "the executor was ended before the run began";
/// Prefix of the reason.
inline constexpr std::string_view no_log_text = "the run did not begin, for its log cannot be made: ";
inline constexpr std::string_view thread_lost_text =
  "the executor lost the run by a defect of its own; whether it ran to its end is not known";

inline constexpr std::string_view kill_reason = "scheduling center kill job.";
inline constexpr std::string_view cover_reason = "block strategy effect：Cover Early";
inline constexpr std::string_view handler_change_reason = "change jobhandler or glue type, and terminate the old job thread.";
inline constexpr std::string_view source_change_reason = "change job source or glue type, and terminate the old job thread.";
inline constexpr std::string_view stop_reason = "web container destroy and kill the job.";
inline constexpr std::string_view idle_reason = "excutor idle times over limit.";

/// Appended to a reason, for active and for waiting runs.
inline constexpr std::string_view running_suffix = " [job running, killed]";
inline constexpr std::string_view waiting_suffix = " [job not executed, in the job queue, killed.]";

/// Longer messages are cut to this many UTF-16 units.
inline constexpr std::size_t result_units_max = 50'000;

[[nodiscard]] inline core::trigger_reply repeat_reply(core::log_id run) {
  return {run_failed, "repeat trigger job, logId:" + std::to_string(core::number(run))};
}

/// Returns the outcome of a body in reportable form: valid UTF-8, not too long, and with a valid code.
[[nodiscard]] inline core::run_outcome settled(core::run_outcome&& outcome) {
  if (outcome.code <= 0)
    return {run_failed, std::string{result_lost_text}};
  if (outcome.message) {
    auto text = core::valid_utf8(*outcome.message);
    const auto kept = core::cut_utf16(text, result_units_max).size();
    if (kept < text.size()) {
      text.resize(kept);
      text += "...";
    }
    outcome.message = std::move(text);
  }
  return std::move(outcome);
}

} // namespace ringmaster::actors
