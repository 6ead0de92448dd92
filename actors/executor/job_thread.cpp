#include "actors/executor/job_thread.hpp"

#include <algorithm>
#include <utility>

#include "actors/executor/run_texts.hpp"

namespace ringmaster::actors {

namespace {

core::run_report report_of(const core::trigger_request& request, core::run_outcome outcome) {
  return {request.run, request.log_time, outcome.code, std::move(outcome.message), request.job};
}

core::run_report killed_report(const core::trigger_request& request, std::string_view reason, std::string_view suffix) {
  return report_of(request, {run_failed, std::string{reason}.append(suffix)});
}

std::pair<core::log_id, std::int64_t> key_of(const core::trigger_request& request) {
  return {request.run, core::log_second(core::identity_of(request))};
}

std::string_view change_reason(const core::trigger_request& request) {
  return request.glue_type == "BEAN" ? handler_change_reason : source_change_reason;
}

} // namespace

job_thread_state::job_thread_state(protocol::job_thread::pointer self, core::job_id job, protocol::job_listener host,
                                   job_tools tools)
  : self_{self}, job_{job}, host_{std::move(host)}, tools_{std::move(tools)} {}

job_thread_state::~job_thread_state() {
  tools_.counts->waiting -= waiting_.size();
  tools_.counts->running -= running_ ? 1 : 0;
}

protocol::job_thread::behavior_type job_thread_state::make_behavior() {
  return {
    [this](protocol::job_trigger& asked) { return trigger(std::move(asked)); },
    [this](const protocol::stop_worker& asked) {
      return core::number(asked.run) > 0 ? stop_run(asked.run, asked.reason) : stop(asked.reason);
    },
    [this](const protocol::job_thread_query&) {
      return protocol::job_thread_state{running_.has_value(), waiting_.size()};
    },
    [this](protocol::body_ended& body) { ended(std::move(body)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

core::trigger_reply job_thread_state::trigger(protocol::job_trigger&& asked) {
  ++triggers_seen_;
  told_quiet_ = false;
  const auto& request = asked.request;
  // Checked before the worker is replaced: a second copy of a run must not end the first.
  if (has(request))
    return repeat_reply(request.run);
  if (worker_ && worker_->body->body() != asked.body)
    end_worker(change_reason(request));
  if (auto refused = refusal(request)) {
    tell_quiet();
    return std::move(*refused);
  }
  if (busy() && request.block == core::block_strategy::cover_early)
    end_worker(cover_reason);
  if (!worker_)
    worker_ = std::make_shared<worker>(worker{std::make_shared<worker_body>(std::move(asked.body), tools_.log)});
  waiting_runs_.insert(key_of(request));
  waiting_.push_back(std::move(asked.request));
  ++tools_.counts->waiting;
  start_next();
  return {};
}

bool job_thread_state::has(const core::trigger_request& request) const {
  const auto key = key_of(request);
  return waiting_runs_.contains(key) || (running_ && key_of(running_->call->request()) == key);
}

std::optional<core::trigger_reply> job_thread_state::refusal(const core::trigger_request& request) const {
  if (out_.size() > bodies_out_max)
    return core::trigger_reply{run_failed, "job " + std::to_string(core::number(job_)) + " has " + std::to_string(out_.size()) +
                                             " runs that ignore their stop"};
  if (busy() && request.block == core::block_strategy::discard_later)
    return core::trigger_reply{run_failed, std::string{discard_later_text}};
  if (busy() && waiting_.size() >= tools_.queue_max && request.block != core::block_strategy::cover_early)
    return core::trigger_reply{run_failed, "the queue of job " + std::to_string(core::number(job_)) + " is full: "
                                             + std::to_string(waiting_.size()) + " runs wait"};
  return std::nullopt;
}

bool job_thread_state::stop(const std::string& reason) {
  const bool had = worker_ != nullptr;
  if (had)
    end_worker(reason);
  tell_quiet();
  return had;
}

// Stops one run. The worker continues with the waiting runs.
bool job_thread_state::stop_run(core::log_id run, const std::string& reason) {
  if (running_ && running_->call->request().run == run) {
    const auto call = running_->call;
    end_running();
    call->kill(reason);
    request_stop(call, false);
    report({killed_report(call->request(), reason, running_suffix)});
    start_next();
    return true;
  }
  const auto found =
    std::find_if(waiting_.begin(), waiting_.end(), [run](const core::trigger_request& each) { return each.run == run; });
  if (found == waiting_.end())
    return false;
  auto report_of_it = killed_report(*found, reason, waiting_suffix);
  waiting_runs_.erase(key_of(*found));
  waiting_.erase(found);
  --tools_.counts->waiting;
  report({std::move(report_of_it)});
  return true;
}

void job_thread_state::start_next() {
  if (running_ || waiting_.empty() || no_thread_)
    return;
  auto request = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_runs_.erase(key_of(request));
  // In this order, so that a reader who first counts waiting and then running runs does not miss this one.
  ++tools_.counts->running;
  --tools_.counts->waiting;
  const auto number = ++last_number_;
  const auto timeout_s = request.timeout_s;
  tools_.runs->begin(core::identity_of(request));
  auto call = std::make_shared<body_call>(std::move(request), worker_->body, tools_.logs);
  const auto& body = *worker_->body->body();
  const bool hook_blocks = body.init && !worker_->body->is_ready();
  auto& threads = body.few_threads && !hook_blocks ? *body.few_threads : *tools_.threads;
  const bool started = threads.start([call, number, me = protocol::job_thread{self_}] {
    call->run([call, number, me](body_result&& result) {
      protocol::anon_send(me, protocol::body_ended{number, std::move(result.outcome)});
    });
  });
  if (!started) {
    no_thread_ = true;
    --tools_.counts->running;
    idle_since_ = now();
    tools_.log->error("job={} run={}: no thread available", core::number(job_), core::number(call->request().run));
    report({report_of(call->request(), {run_failed, "the executor could not start a thread for this run"})});
    return;
  }
  worker_->has_begun = true;
  ++worker_->bodies_out;
  out_.emplace(number, worker_);
  running_ = running_call{std::move(call), number, std::nullopt};
  if (timeout_s > 0)
    running_->deadline = now() + std::chrono::seconds{timeout_s};
}

void job_thread_state::ended(protocol::body_ended&& body) {
  if (running_ && running_->number == body.number) {
    const auto call = running_->call;
    end_running();
    report({report_of(call->request(), std::move(body.outcome))});
    start_next();
  }
  take_back(body.number);
  tell_quiet();
}

void job_thread_state::take_back(std::uint64_t number) {
  const auto found = out_.find(number);
  if (found == out_.end())
    return;
  const auto of = std::move(found->second);
  out_.erase(found);
  if (!of)
    return;
  --of->bodies_out;
  finish(of);
}

void job_thread_state::tick() {
  no_thread_ = false;
  if (running_ && running_->deadline && *running_->deadline <= now())
    run_late();
  start_next();
  if (worker_ && !busy() && now() - idle_since_ >= tools_.idle_limit)
    end_worker(idle_reason);
  tell_quiet();
}

void job_thread_state::run_late() {
  const auto call = running_->call;
  end_running();
  call->time_out();
  request_stop(call, true);
  report({report_of(call->request(), {run_timed_out, std::string{timeout_text}})});
}

void job_thread_state::end_running() {
  running_.reset();
  --tools_.counts->running;
  idle_since_ = now();
}

void job_thread_state::end_worker(std::string_view reason) {
  std::vector<core::run_report> killed;
  if (running_) {
    const auto call = running_->call;
    end_running();
    call->kill(std::string{reason});
    request_stop(call, false);
    killed.push_back(killed_report(call->request(), reason, running_suffix));
  }
  for (const auto& request : waiting_)
    killed.push_back(killed_report(request, reason, waiting_suffix));
  tools_.counts->waiting -= waiting_.size();
  waiting_.clear();
  waiting_runs_.clear();
  report(std::move(killed));
  const auto ended = std::exchange(worker_, nullptr);
  ended->has_ended = true;
  finish(ended);
}

void job_thread_state::finish(const worker_ptr& of) {
  if (!of->has_ended || !of->has_begun || of->bodies_out > 0 || !of->body->body()->destroy)
    return;
  of->has_begun = false;
  const auto number = ++last_number_;
  const bool started = tools_.threads->start([body = of->body, number, me = protocol::job_thread{self_}] {
    body->finish();
    protocol::anon_send(me, protocol::body_ended{number});
  });
  if (started)
    out_.emplace(number, nullptr);
  else
    tools_.log->error("job={}: no thread available to end its handler", core::number(job_));
}

// Runs on a thread, because the stop callbacks of a body may block.
void job_thread_state::request_stop(const std::shared_ptr<body_call>& call, bool late) {
  const bool started = tools_.threads->start([call, late] {
    if (late)
      call->log_timeout();
    call->request_stop();
  });
  if (!started)
    call->request_stop();
}

void job_thread_state::report(std::vector<core::run_report>&& reports) {
  for (const auto& each : reports)
    tools_.runs->settle(each);
  if (!reports.empty())
    protocol::send(self_, tools_.callbacks, protocol::run_reports{std::move(reports)});
}

void job_thread_state::tell_quiet() {
  if (worker_ || !out_.empty() || told_quiet_)
    return;
  told_quiet_ = true;
  protocol::send(self_, host_, protocol::job_quiet{job_, triggers_seen_});
}

} // namespace ringmaster::actors
