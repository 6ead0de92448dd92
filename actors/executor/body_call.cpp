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
    call(body_->init, "beginning");
  });
}

void worker_body::finish() {
  if (has_begun_)
    call(body_->destroy, "ending");
}

void worker_body::call(const std::function<void()>& hook, const char* what) {
  if (!hook)
    return;
  try {
    hook();
  } catch (const std::exception& thrown) {
    log_->error("the {} of a handler threw: {}", what, thrown.what());
  } catch (...) {
    log_->error("the {} of a handler threw", what);
  }
}

body_call::body_call(core::trigger_request request, std::shared_ptr<worker_body> worker, std::shared_ptr<job_logs> logs)
  : request_{std::move(request)}, worker_{std::move(worker)}, logs_{std::move(logs)} {}

body_result body_call::run() {
  if (!has_ended())
    worker_->begin();
  // Meanwhile the hook may have taken its time.
  if (has_ended()) {
    body_result never{{run_failed, "stopped before it began"}};
    log_end(never);
    return never;
  }
  append(std::string{line}
           .append("xxl-job job execute start -----------")
           .append(line)
           .append("Param:")
           .append(request_.param.value_or("null"))
           .append("\n"));
  auto result = call();
  log_end(result);
  return result;
}

body_result body_call::call() {
  const auto failed = [](std::string text) {
    return body_result{settled({run_failed, std::move(text)}), true};
  };
  try {
    return {settled(worker_->body()->run(request_, stop_.get_token(), [this] { return reason(); })), false};
  } catch (const std::exception& thrown) {
    return failed(thrown.what());
  } catch (...) {
    return failed("the handler threw something that is no std::exception");
  }
}

// Of one that was too late everything is said already.
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

void body_call::append(std::string_view text) { logs_->append(request_.run, request_.log_time, text); }

std::string body_call::reason() {
  std::lock_guard guard{mutex_};
  return reason_;
}

} // namespace ringmaster::actors
