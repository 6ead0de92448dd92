#pragma once

// Requests of an admin to an executor, and the answers (XXL wire §2). Pure; any thread; no exception leaves it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/run/trigger_request.hpp"
#include "core/time.hpp"

namespace ringmaster::protocol::wire {

/// Returns the trigger object: always all 12 fields, no null, no negative number. `logDateTime` is the fire time cut to its
/// second. The letters `POST` inside a text are written `\u0050OST`: one Go executor splits its input at every literal `POST`.
[[nodiscard]] std::string encode_run(const core::claimed_run& run);

[[nodiscard]] std::string encode_beat();
[[nodiscard]] std::string encode_idle_beat(core::job_id job);
/// Returns a kill with the run's id, which XXL-JOB's executors ignore; 0: without an id.
[[nodiscard]] std::string encode_kill(core::job_id job, core::log_id run);

/// Returns a log request with both spellings of the date. `fire_at`: fire time of the run; cut to its second as in `encode_run`.
/// `from_line`: the first line is 1. `bounds` become the members `maxBytes` and `tail`, which other executors than ours ignore.
[[nodiscard]] std::string encode_log(core::log_id run, core::time_point fire_at, std::int32_t from_line,
                                     const std::optional<core::log_bounds>& bounds = {});

/// Sender of an answer, as far as the answer proves it.
enum class reply_origin : std::uint8_t {
  /// The executor itself: an object with a code, or the array by which one Go client reports a failed run.
  executor,
  /// A server on the way refused the request before it passed anything on.
  refused,
  /// Unknown: a proxy's 502 or 504, an HTML page, an empty answer. The executor may have received the request.
  unknown,
};

struct executor_reply {
  reply_origin origin = reply_origin::unknown;
  /// 200 success; never 0.
  std::int32_t code = 500;
  /// The executor's text (for a failure without one, a textual `content` or `data`), or a text of ours when the reply cannot be
  /// read; empty for a success without text. Valid UTF-8, cut to 15 000 units.
  std::string msg;
  /// A textual `content` or `data` of a success: some executors answer `/kill` there. Cut as `msg`.
  std::string payload = {};
  /// `repeat… logId:N` with our own log id: the run has arrived before, which counts as accepted.
  bool repeated_log_id = false;
  /// The executor knows `/trigger` instead of `/run`; nothing was executed.
  bool wants_trigger_path = false;
  /// Older executors do not know `/trigger`: the same body must be sent to `/run`.
  bool wants_run_path = false;
  /// The token, or the app name sent with it, is not the executor's; nothing was executed.
  bool refuses_token = false;

  [[nodiscard]] bool accepted() const noexcept { return code == 200 || repeated_log_id; }
};

/// Reads a whole answer to `/run`, `/trigger`, `/beat`, `/idleBeat` or `/kill`, whatever its content (XXL wire §2.6). A missing
/// code, code 0, an array, an empty body and HTML have code 500; `origin` says what that proves. `sent`: the log id of the
/// request, 0 for the others.
[[nodiscard]] executor_reply parse_reply(unsigned status, std::string_view body, core::log_id sent);

/// Returns true for `repeat… logId:N` with this log id: the executor already knows the run.
[[nodiscard]] bool is_repeat_of(std::string_view message, core::log_id sent) noexcept;

/// Returns a text for operators about a "repeat" for a run that was sent once.
[[nodiscard]] std::string unexpected_repeat(std::string_view said);

struct log_chunk {
  std::int32_t from_line = 0;
  std::int32_t to_line = 0;
  std::string content;
  bool end = false;
  /// Size of the whole log, if the executor states both members of it.
  std::optional<core::log_size> size = {};
};

/// Reads the answer to `/log`: the object under `content`, else `data`, even of a failure. Code 200 without an object means "no
/// log": an empty chunk. Missing numbers are 0, a missing first line is the requested one, a missing end is false. The number
/// of a last line whose text is missing is corrected where clients are known to err (XXL wire §2.5), but not if the executor
/// states the size of the log. Errors: `unavailable` with the executor's text; also for answers with a status that only proxies
/// give, whatever their body.
[[nodiscard]] core::result<log_chunk> parse_log_reply(unsigned status, std::string_view body, std::int32_t asked_line);

} // namespace ringmaster::protocol::wire
