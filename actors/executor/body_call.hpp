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

/// The life of a body at one worker of a job: begun once, before its first run, and finished once, after its last.
class worker_body {
public:
  worker_body(std::shared_ptr<const run_body> body, logger log) : body_{std::move(body)}, log_{std::move(log)} {}

  [[nodiscard]] const std::shared_ptr<const run_body>& body() const noexcept { return body_; }
  /// On threads that may block. Whoever comes while the hook runs waits for it; what it throws is told to the process's log.
  void begin();
  /// Whether `begin` returns at once. Any thread.
  [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }
  /// Nothing of what never began.
  void finish();

private:
  void call(const std::function<void()>& hook, const char* what);

  std::shared_ptr<const run_body> body_;
  logger log_;
  std::once_flag begun_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_ready_{false};
};

/// What became of a body.
struct body_result {
  core::run_outcome outcome;
  bool threw = false;
};

/// One run of a body, with the lines of its log around it. Shared by job_thread, which stops it, and the thread that it runs on.
class body_call {
public:
  body_call(core::trigger_request request, std::shared_ptr<worker_body> worker, std::shared_ptr<job_logs> logs);

  [[nodiscard]] const core::trigger_request& request() const noexcept { return request_; }

  /// On a thread of its own; blocks as long as a body that has a `run`. Nothing that the body throws leaves it. A body that was
  /// stopped before its thread came to it is not called, nor one whose log cannot be made: nothing would keep a copy of the run
  /// away. `done` is called once, in any thread, and keeps this alive until then.
  void run(std::function<void(body_result&&)> done);

  /// Any thread; the first ending stands. The body is asked to stop by `request_stop` then.
  void kill(std::string reason) { end(ending::killed, std::move(reason)); }
  void time_out();
  /// Runs what the body wants to have run when it is stopped, so it may block.
  void request_stop() { stop_.request_stop(); }
  /// The lines of a run that is too late; blocks.
  void log_timeout();

private:
  enum class ending : std::uint8_t { none, killed, late };

  void end(ending how, std::string reason);
  [[nodiscard]] bool has_ended();
  void start(const std::function<void(body_result&&)>& done);
  /// `body` returns the outcome or throws.
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
