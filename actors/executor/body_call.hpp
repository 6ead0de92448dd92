#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "actors/executor/bodies.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/logger.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// A body during its use by one worker of a job: begun once, before its first run, and finished once, after its last.
class worker_body {
public:
  worker_body(std::shared_ptr<const run_body> body, logger log) : body_{std::move(body)}, log_{std::move(log)} {}

  [[nodiscard]] const std::shared_ptr<const run_body>& body() const noexcept { return body_; }
  /// Runs the first hook. Call on threads that may block. Concurrent callers wait until the hook ends; exceptions go to the
  /// process's log.
  void begin();
  /// Returns whether `begin` returns at once. Any thread.
  [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }
  /// Runs the last hook, unless the body never began.
  void finish();

private:
  void call(const std::function<void()>& hook, const char* what);

  std::shared_ptr<const run_body> body_;
  logger log_;
  std::once_flag begun_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_ready_{false};
};

/// The result of a body.
struct body_result {
  core::run_outcome outcome;
  bool threw = false;
};

/// One run of a body, including the lines around it in its log. Shared by job_thread, which stops it, and the thread that runs
/// it.
class body_call {
public:
  body_call(core::trigger_request request, std::shared_ptr<worker_body> worker, std::shared_ptr<job_logs> logs);

  [[nodiscard]] const core::trigger_request& request() const noexcept { return request_; }

  /// Runs the body on its own thread; a body with a `run` blocks. Catches all exceptions of the body. Does not call a body that
  /// was stopped before it began, or whose log cannot be created: without a log, copies of the run would not be detected. `done`
  /// is called once, on any thread, and keeps this object alive until then.
  void run(std::function<void(body_result&&)> done);

  /// Ends the run; the first ending counts. Then `request_stop` asks the body to stop. Any thread.
  void kill(std::string reason) { end(ending::killed, std::move(reason)); }
  void time_out();
  /// Runs the stop callbacks of the body, so it may block.
  void request_stop() { stop_.request_stop(); }
  /// Writes the log lines of a run that is too late; blocks.
  void log_timeout();

private:
  enum class ending : std::uint8_t { none, killed, late };

  void end(ending how, std::string reason);
  [[nodiscard]] bool has_ended();
  void start(const std::function<void(body_result&&)>& done);
  /// Ends the run with the outcome that `body` returns or the exception it throws.
  void end_with(const std::function<void(body_result&&)>& done, const std::function<core::run_outcome()>& body);
  void log_end(const body_result& result);
  core::result<void> append(std::string_view text);
  [[nodiscard]] std::string reason();

  core::trigger_request request_;
  std::shared_ptr<worker_body> worker_;
  std::shared_ptr<job_logs> logs_;
  std::stop_source stop_;
  std::mutex mutex_;
  ending ending_ = ending::none;
  std::string reason_;
};

} // namespace ringmaster::actors
