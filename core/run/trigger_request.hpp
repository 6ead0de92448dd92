#pragma once

// Requests of an admin to an executor, and the executor's reports (XXL wire §2.7, §3.1).

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/job/job.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// One run of a job, as `/run` carries it. Texts are valid UTF-8. A text that was null or not sent is unset, which some answers
/// distinguish from an empty one.
struct trigger_request {
  job_id job{};
  /// Identifies the run at every admin and in the log folder.
  log_id run{};
  /// Its local date is the folder of the log file; its second identifies the run together with the id and the job.
  time_point log_time{};
  std::optional<std::string> handler = {};
  std::optional<std::string> param = {};
  /// An unknown strategy runs in series.
  block_strategy block = block_strategy::serial_execution;
  /// Seconds; 0 or less: none.
  std::int32_t timeout_s = 0;
  /// `BEAN`, `GLUE_SHELL` …
  std::optional<std::string> glue_type = {};
  std::optional<std::string> glue_source = {};
  /// Version of the source; compared only for equality.
  std::int64_t glue_updated_ms = 0;
  std::int32_t shard_index = 0;
  std::int32_t shard_total = 1;
};

/// Identity of a run. A restored database hands out ids again, so that the id alone does not identify a run.
struct run_identity {
  log_id run{};
  /// 0: unknown, which matches any job.
  job_id job{};
  /// Compared to the second: admins cut or round the rest.
  time_point log_time{};
};

[[nodiscard]] constexpr std::int64_t log_second(const run_identity& of) noexcept {
  const auto ms = to_ms(of.log_time);
  return ms / 1000 - (ms % 1000 < 0 ? 1 : 0);
}

/// Returns true if id, job and second agree.
[[nodiscard]] constexpr bool is_same_run(const run_identity& a, const run_identity& b) noexcept {
  const bool same_job = a.job == b.job || a.job == job_id{} || b.job == job_id{};
  return a.run == b.run && same_job && log_second(a) == log_second(b);
}

[[nodiscard]] inline run_identity identity_of(const trigger_request& request) noexcept {
  return {request.run, request.job, request.log_time};
}

/// Code of a reply: the run was not accepted because this executor stops; another one may accept it.
inline constexpr std::int32_t executor_stops = 503;
/// Code of a reply to the question whether a run was accepted: it was not, neither now nor before.
inline constexpr std::int32_t run_never_came = 404;

/// Answer whether a run was accepted. A rejected run has no result.
struct trigger_reply {
  /// 200: accepted. `executor_stops`: see above. 0: unknown; then the executor sends no answer at all, and the admin finds out in
  /// the usual way.
  std::int32_t code = 200;
  /// Empty for 200.
  std::string message = {};
};

/// Result of a run's body: 200 success; any other code failure. 0 and below mean that it gave no result.
struct run_outcome {
  std::int32_t code = 200;
  std::optional<std::string> message = {};
};

/// The result of a run on its way to an admin.
struct run_report {
  log_id run{};
  /// Log time of the request.
  time_point log_time{};
  std::int32_t code = 0;
  std::optional<std::string> message = {};
  /// Used only in this process: 0 in a report from a file of an earlier version.
  job_id job{};

  friend bool operator==(const run_report&, const run_report&) = default;
};

[[nodiscard]] inline run_identity identity_of(const run_report& report) noexcept {
  return {report.run, report.job, report.log_time};
}

/// Limits of one answer with lines of a log. XXL-JOB has none.
struct log_bounds {
  /// Most bytes of the text.
  std::int32_t bytes = 0;
  /// The last lines, at most this many, in place of those from a first line on.
  std::optional<std::int32_t> tail = {};

  friend bool operator==(const log_bounds&, const log_bounds&) = default;
};

/// Size of a log, as far as it is written.
struct log_size {
  /// Lines that can be read.
  std::int32_t lines = 0;
  std::int64_t bytes = 0;
  /// False: `lines` are those that were counted so far. The next request counts on.
  bool counted = true;

  friend bool operator==(const log_size&, const log_size&) = default;
};

/// Lines of a run's log (XXL wire §2.9).
struct log_lines {
  /// As requested; of the last lines the number of the first one.
  std::int32_t from_line = 0;
  /// Number of the last included line; 0: none.
  std::int32_t to_line = 0;
  std::string text;
  /// The log is complete.
  bool ended = false;
  /// Present if the request has bounds.
  std::optional<log_size> size = {};
};

} // namespace ringmaster::core
