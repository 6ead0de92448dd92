#include "actors/executor/body_call.hpp"

#include <exception>
#include <utility>

#include "actors/executor/run_texts.hpp"

namespace ringmaster::actors {

namespace {

constexpr std::string_view line = "<br>----------- ";

std::string result_lines(const core::run_outcome& outcome) {
  std::string text{line};
  text.append("xxl-job job execute end(finish) -----------").append(line).append("Result: handleCode=");
  text.append(std::to_string(outcome.code)).append(", handleMsg = ").append(outcome.message.value_or("null")).append("\n");
  return text;
}

} // namespace

void worker_body::begin() {
  std::call_once(begun_, [this] {
    has_begun_ = true;
    call(body_->init, "init");
    is_ready_ = true;
  });
}

void worker_body::finish() {
  if (has_begun_)
    call(body_->destroy, "destroy");
}

void worker_body::call(const std::function<void()>& hook, const char* what) {
  if (!hook)
    return;
  try {
    hook();
  } catch (const std::exception& thrown) {
    log_->error("exception in the {} hook of a handler: {}", what, thrown.what());
  } catch (...) {
    log_->error("unknown exception in the {} hook of a handler", what);
  }
}

body_call::body_call(core::trigger_request request, std::shared_ptr<worker_body> worker, std::shared_ptr<job_logs> logs)
  : request_{std::move(request)}, worker_{std::move(worker)}, logs_{std::move(logs)} {}

void body_call::run(std::function<void(body_result&&)> done) {
  if (!has_ended())
    worker_->begin();
  // The hook may have taken long enough for a stop to arrive.
  if (has_ended()) {
    body_result never{{run_failed, "stopped before it began"}};
    log_end(never);
    return done(std::move(never));
  }
  const auto logged = append(std::string{line}
                               .append("xxl-job job execute start -----------")
                               .append(line)
                               .append("Param:")
                               .append(request_.param.value_or("null"))
                               .append("\n"));
  if (!logged)
    return done({settled({run_failed, std::string{no_log_text}.append(logged.error().context)}), false});
  const auto& body = *worker_->body();
  if (body.start)
    return start(done);
  end_with(done, [this, &body] { return body.run(request_, stop_.get_token(), [this] { return reason(); }); });
}

void body_call::start(const std::function<void(body_result&&)>& done) {
  try {
    worker_->body()->start(request_, stop_.get_token(), [this] { return reason(); },
                           [this, done](core::run_outcome&& outcome, const std::exception_ptr& thrown) {
                             end_with(done, [&] {
                               return thrown ? (std::rethrow_exception(thrown), outcome) : std::move(outcome);
                             });
                           });
  } catch (...) {
    end_with(done, []() -> core::run_outcome { throw; });
  }
}

void body_call::end_with(const std::function<void(body_result&&)>& done, const std::function<core::run_outcome()>& body) {
  const auto failed = [](std::string text) {
    return body_result{settled({run_failed, std::move(text)}), true};
  };
  const auto result_of = [&]() -> body_result {
    try {
      return {settled(body()), false};
    } catch (const std::exception& thrown) {
      return failed(thrown.what());
    } catch (...) {
      return failed("the handler threw an exception that is not a std::exception");
    }
  };
  auto result = result_of();
  log_end(result);
  done(std::move(result));
}

// Skips runs that were too late: log_timeout has written their lines.
void body_call::log_end(const body_result& result) {
  std::string text;
  {
    std::lock_guard guard{mutex_};
    if (ending_ == ending::late)
      return;
    if (ending_ == ending::killed)
      text.append(line).append("JobThread toStop, stopReason:").append(reason_).append("\n");
  }
  if (result.threw)
    text.append(line)
      .append("JobThread Exception:")
      .append(result.outcome.message.value_or(""))
      .append(line)
      .append("xxl-job job execute end(error) -----------\n");
  else
    text += result_lines(result.outcome);
  append(text);
}

void body_call::log_timeout() {
  append(std::string{line}.append("xxl-job job execute timeout\n") + result_lines({run_timed_out, std::string{timeout_text}}));
}

void body_call::time_out() { end(ending::late, std::string{timeout_text}); }

void body_call::end(ending how, std::string reason) {
  std::lock_guard guard{mutex_};
  if (ending_ != ending::none)
    return;
  ending_ = how;
  reason_ = std::move(reason);
}

bool body_call::has_ended() {
  std::lock_guard guard{mutex_};
  return ending_ != ending::none;
}

core::result<void> body_call::append(std::string_view text) {
  return logs_->append(core::identity_of(request_), text);
}

std::string body_call::reason() {
  std::lock_guard guard{mutex_};
  return reason_;
}

} // namespace ringmaster::actors
