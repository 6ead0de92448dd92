#pragma once

// Requests to an executor, and its answers (XXL wire §2). Pure; any thread; no exception leaves it.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::protocol::wire {

/// Reads the body of `/run` or `/trigger` as leniently as a Java executor (XXL wire §2.4): numbers may be texts, unknown fields
/// are ignored, missing numbers are 0, missing texts are unset (null). A shard total below 1 is 1, a shard index below 0 is 0.
/// Errors: `invalid_argument` with the text to answer, which begins with `request error:`: not JSON, a wrong type, a fraction, a
/// number out of range, an empty body.
[[nodiscard]] core::result<core::trigger_request> parse_trigger(std::string_view body);

/// Reads the body of `/idleBeat` and `/kill`. Errors as `parse_trigger`.
[[nodiscard]] core::result<core::job_id> parse_job_question(std::string_view body);

/// Kill of the whole job, or of one run.
struct kill_question {
  core::job_id job{};
  /// 0: not given.
  core::log_id run{};
};
[[nodiscard]] core::result<kill_question> parse_kill_question(std::string_view body);

struct log_question {
  core::log_id run{};
  core::time_point log_time{};
  std::int32_t from_line = 0;
  /// Present if the body has `maxBytes` or `tail`.
  std::optional<core::log_bounds> bounds = {};
};
/// Reads the body of `/log`, both spellings of the date. `maxBytes` is at least 256 and at most 1 MiB, `tail` at least 1 and at
/// most 5000: other numbers mean the nearest one. Errors as `parse_trigger`.
[[nodiscard]] core::result<log_question> parse_log_question(std::string_view body);

/// Returns `{"code":200}` or with `msg`.
[[nodiscard]] std::string encode_trigger_reply(const core::trigger_reply& reply);

/// Returns the lines under both `content` and `data`, with `totalLines` and `fileSize` if they have the size of the log.
[[nodiscard]] std::string encode_log_lines(const core::log_lines& lines);

} // namespace ringmaster::protocol::wire
