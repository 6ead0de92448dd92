#pragma once

// What an admin asks an executor for, and what the executor says of it (XXL wire §2.7, §3.1).

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/job/job.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// One run of a job, as `/run` carries it. Texts are valid UTF-8; a text that was null or not sent is nothing, which some answers
/// tell apart from an empty one.
struct trigger_request {
  job_id job{};
  /// Names the run at every admin and in the log folder.
  log_id run{};
  /// Its local date is the folder of the log file; with the id and the job its second names the run.
  time_point log_time{};
  std::optional<std::string> handler = {};
  std::optional<std::string> param = {};
  /// What nobody knows runs in series.
  block_strategy block = block_strategy::serial_execution;
  /// Seconds; 0 or less: none.
  std::int32_t timeout_s = 0;
  /// `BEAN`, `GLUE_SHELL` …
  std::optional<std::string> glue_type = {};
  std::optional<std::string> glue_source = {};
  /// Version of the source: only equal or not.
  std::int64_t glue_updated_ms = 0;
  std::int32_t shard_index = 0;
  std::int32_t shard_total = 1;
};

/// Tells runs apart. A database that was restored gives out ids again, so the id alone names no run.
struct run_identity {
  log_id run{};
  /// 0: not known, which fits any.
  job_id job{};
  /// Counts to the second: admins cut or round the rest.
  time_point log_time{};
};

[[nodiscard]] constexpr std::int64_t log_second(const run_identity& of) noexcept {
  const auto ms = to_ms(of.log_time);
  return ms / 1000 - (ms % 1000 < 0 ? 1 : 0);
}

/// Id, job and second agree.
[[nodiscard]] constexpr bool is_same_run(const run_identity& a, const run_identity& b) noexcept {
  const bool same_job = a.job == b.job || a.job == job_id{} || b.job == job_id{};
  return a.run == b.run && same_job && log_second(a) == log_second(b);
}

[[nodiscard]] inline run_identity identity_of(const trigger_request& request) noexcept {
  return {request.run, request.job, request.log_time};
}

/// Code of a reply: the run was not taken, for this executor stops; another one may take it.
inline constexpr std::int32_t executor_stops = 503;
/// Of a run that is asked for: it was not taken, now or before.
inline constexpr std::int32_t run_never_came = 404;

/// Whether a run was taken. Of one that was not, no result will come.
struct trigger_reply {
  /// 200: taken. `executor_stops`. 0: nobody knows; then it is not answered at all, and who asked finds out in the usual way.
  std::int32_t code = 200;
  /// Empty for 200.
  std::string message = {};
};

/// What a body came to: 200 success; anything else failure. 0 and below mean that it gave no result.
struct run_outcome {
  std::int32_t code = 200;
  std::optional<std::string> message = {};
};

/// The result of a run on its way to an admin.
struct run_report {
  log_id run{};
  /// That of the request.
  time_point log_time{};
  std::int32_t code = 0;
  std::optional<std::string> message = {};
  /// Stays in this process: 0 in a report that was read from a file of an earlier version.
  job_id job{};

  friend bool operator==(const run_report&, const run_report&) = default;
};

[[nodiscard]] inline run_identity identity_of(const run_report& report) noexcept {
  return {report.run, report.job, report.log_time};
}

/// Lines of a run's log (XXL wire §2.9).
struct log_lines {
  /// As asked for.
  std::int32_t from_line = 0;
  /// The last line that is contained; 0: none is.
  std::int32_t to_line = 0;
  std::string text;
  /// Nothing more will come.
  bool ended = false;
};

} // namespace ringmaster::core
