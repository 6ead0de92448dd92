#include "actors/executor/executor_host.hpp"

#include <algorithm>
#include <utility>

#include "actors/executor/run_texts.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

executor_host_state::executor_host_state(protocol::executor_host::pointer self, host_tools tools)
  : self_{self}, tools_{std::move(tools)} {}

executor_host_state::~executor_host_state() {
  for (const auto& [job, entry] : jobs_)
    caf::anon_send_exit(entry.thread, caf::exit_reason::user_shutdown);
}

protocol::executor_host::behavior_type executor_host_state::make_behavior() {
  return {
    [this](protocol::trigger_batch& batch) { return trigger(std::move(batch)); },
    [this](const protocol::kill_job& asked) { return kill(asked); },
    [this](const protocol::idle_query& asked) { return is_idle(asked.job); },
    [this](const protocol::taken_query& asked) { return knows(asked); },
    [this](const protocol::log_query& asked) { return read_log(asked); },
    [this](const protocol::drain_request& asked) { return drain(asked.limit); },
    [this](const protocol::executor_state_query&) { return state(); },
    [this](const protocol::job_quiet& told) { quiet(told); },
    [this](const protocol::work_done& done) {
      for (const auto& step : done.then)
        step();
    },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- runs ------------------------------------------------------------------------------------------------------------------

caf::result<protocol::trigger_replies> executor_host_state::trigger(protocol::trigger_batch&& batch) {
  auto open = std::make_shared<open_batch>();
  open->promise = self_->make_response_promise<protocol::trigger_replies>();
  auto promise = open->promise;
  open->replies.resize(batch.requests.size());
  // One more, released after all requests were handled.
  open->open = batch.requests.size() + 1;
  for (std::size_t i = 0; i < batch.requests.size(); ++i) {
    const auto run = batch.requests[i].run;
    if (auto reply = decide(std::move(batch.requests[i]), open, i)) {
      open->replies[i] = std::move(*reply);
      --open->open;
      tools_.log->debug("run={} refused: {}", core::number(run), open->replies[i].message);
    }
  }
  if (--open->open == 0)
    open->promise.deliver(protocol::trigger_replies{std::move(open->replies)});
  return promise;
}

std::optional<core::trigger_reply> executor_host_state::decide(core::trigger_request&& request,
                                                               const std::shared_ptr<open_batch>& batch, std::size_t at) {
  if (draining_ != drain_step::none)
    return core::trigger_reply{core::executor_stops, "this executor is stopping"};
  // Requests without an id come from users who experiment with the protocol.
  const bool has_id = core::number(request.run) > 0;
  const auto which = core::identity_of(request);
  if (has_id && recent_.contains(which))
    return repeat_reply(request.run);
  if (const auto began = has_id ? tools_.logs->has(which) : false; !began)
    return core::trigger_reply{run_failed, "it is unknown whether this run began before: " + began.error().context};
  else if (*began)
    return repeat_reply(request.run);
  const auto known = jobs_.find(request.job);
  auto body = tools_.bodies->find(request, known != jobs_.end() ? known->second.held : nullptr);
  if (!body)
    return core::trigger_reply{run_failed, std::move(body.error().context)};
  if (has_id) {
    const auto taken = tools_.runs->take(request);
    if (tools_.runs->is_scarce())
      make_room();
    if (!taken)
      return core::trigger_reply{run_failed, taken.error().context};
    if (!*taken)
      return repeat_reply(request.run);
    recent_.add(which);
  }
  hand_over({std::move(request), std::move(*body)}, batch, at);
  return std::nullopt;
}

void executor_host_state::hand_over(protocol::job_trigger&& asked, const std::shared_ptr<open_batch>& batch, std::size_t at) {
  auto& entry = entry_of(asked.request.job);
  entry.held = asked.body;
  if (asked.request.timeout_s > 0)
    timed_.insert(asked.request.job);
  ++entry.triggers;
  ++undecided_;
  const auto run = core::identity_of(asked.request);
  undecided_runs_.emplace(run.run, run);
  asked.request.glue_source.reset(); // the body holds it; thousands of requests may wait
  // No time limit here: a decision after the limit would be lost and its run would stay taken. The caller has its own limits.
  protocol::request_unlimited(self_, entry.thread, std::move(asked))
    .then([this, batch, at, run](core::trigger_reply& reply) { decided(batch, at, run, std::move(reply)); },
          [this, batch, at, run](const caf::error& reason) {
            tools_.log->error("run={}: its job_thread did not answer: {}", core::number(run.run), caf::to_string(reason));
            decided(batch, at, run, {run_unknown, {}});
          });
}

void executor_host_state::decided(const std::shared_ptr<open_batch>& batch, std::size_t at,
                                  const core::run_identity& run, core::trigger_reply&& reply) {
  --undecided_;
  if (const auto found = undecided(run); found != undecided_runs_.end())
    undecided_runs_.erase(found);
  if (reply.code == run_succeeded)
    ++runs_taken_;
  else if (reply.code != run_unknown) {
    recent_.forget(run);
    tools_.runs->forget(run);
  }
  batch->replies[at] = std::move(reply);
  if (--batch->open == 0)
    batch->promise.deliver(protocol::trigger_replies{std::move(batch->replies)});
}

void executor_host_state::make_room() {
  if (making_room_ || now() < room_retry_at_)
    return;
  making_room_ = tools_.threads->start([this, runs = tools_.runs, me = protocol::executor_host{self_}] {
    auto grown = std::make_shared<core::result<void>>(runs->grow());
    protocol::anon_send(me, protocol::work_done{{[this, grown] {
      making_room_ = false;
      if (*grown)
        return;
      room_retry_at_ = now() + room_pause;
      tools_.log->warn("no room for more runs soon: {}", grown->error().context);
    }}});
  });
}

executor_host_state::job_entry& executor_host_state::entry_of(core::job_id job) {
  const auto [place, is_new] = jobs_.try_emplace(job);
  auto& entry = place->second;
  if (is_new) {
    job_tools tools{tools_.threads, tools_.logs, tools_.runs, tools_.callbacks, tools_.counts, tools_.settings.queue_max,
                    tools_.settings.idle_limit, tools_.log};
    entry.thread = self_->system().spawn<protocol::with_state<job_thread_state, protocol::job_thread>>(
      job, protocol::job_listener{protocol::executor_host{self_}}, std::move(tools));
    watcher_.watch(self_, entry.thread, [this, job, thread = caf::actor_cast<caf::actor_addr>(entry.thread)](
                                          const caf::error& reason) { lost(job, thread, reason); });
    arm();
  }
  return entry;
}

void executor_host_state::quiet(const protocol::job_quiet& told) {
  const auto found = jobs_.find(told.job);
  if (found == jobs_.end() || found->second.triggers != told.triggers_seen)
    return;
  const auto thread = std::move(found->second.thread);
  jobs_.erase(found);
  timed_.erase(told.job);
  caf::anon_send_exit(thread, caf::exit_reason::user_shutdown);
  if (draining_ == drain_step::stops)
    go_on_draining();
}

// Ends the runs of a job_thread that died. A body may continue, but its result is dropped.
void executor_host_state::lost(core::job_id job, const caf::actor_addr& thread, const caf::error& reason) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.thread.address() != thread)
    return;
  tools_.log->critical("job={}: its job_thread ended: {}", core::number(job), caf::to_string(reason));
  jobs_.erase(found);
  protocol::run_reports over{tools_.runs->open_of(job)};
  for (auto& report : over.reports) {
    report.code = run_failed;
    report.message = thread_lost_text;
    tools_.runs->settle(report);
  }
  if (!over.reports.empty())
    protocol::send(self_, tools_.callbacks, std::move(over));
}

// -- questions -------------------------------------------------------------------------------------------------------------

caf::result<core::trigger_reply> executor_host_state::kill(const protocol::kill_job& asked) {
  const core::trigger_reply nothing{run_succeeded, std::string{already_killed_text}};
  const auto found = jobs_.find(asked.job);
  if (found == jobs_.end())
    return nothing;
  auto promise = self_->make_response_promise<core::trigger_reply>();
  protocol::request(self_, found->second.thread, patience, protocol::stop_worker{std::string{kill_reason}, asked.run})
    .then([promise, nothing](bool had) mutable { promise.deliver(had ? core::trigger_reply{} : nothing); },
          // The job was quiet and its job_thread ended.
          [promise, nothing](const caf::error&) mutable { promise.deliver(nothing); });
  return promise;
}

caf::result<core::trigger_reply> executor_host_state::is_idle(core::job_id job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end())
    return core::trigger_reply{};
  auto promise = self_->make_response_promise<core::trigger_reply>();
  protocol::request(self_, found->second.thread, patience, protocol::job_thread_query{})
    .then(
      [promise](const protocol::job_thread_state& has) mutable {
        const bool busy = has.running || has.waiting > 0;
        promise.deliver(busy ? core::trigger_reply{run_failed, std::string{busy_text}} : core::trigger_reply{});
      },
      [promise](const caf::error&) mutable { promise.deliver(core::trigger_reply{}); });
  return promise;
}

executor_host_state::identities::const_iterator executor_host_state::undecided(const core::run_identity& which) const {
  const auto [first, last] = undecided_runs_.equal_range(which.run);
  const auto found = std::find_if(first, last, [&](const auto& each) { return core::is_same_run(each.second, which); });
  return found != last ? found : undecided_runs_.end();
}

core::trigger_reply executor_host_state::knows(const protocol::taken_query& asked) const {
  const core::run_identity which{asked.run, asked.job, asked.log_time};
  if (undecided(which) != undecided_runs_.end())
    return {run_unknown, "the decision about this run is pending"};
  if (recent_.contains(which) || tools_.runs->contains(which))
    return {};
  const auto began = tools_.logs->has(which);
  if (!began)
    return {run_unknown, "it is unknown whether this run began before: " + began.error().context};
  return *began ? core::trigger_reply{} : core::trigger_reply{core::run_never_came, "this run never came"};
}

caf::result<core::log_lines> executor_host_state::read_log(const protocol::log_query& asked) {
  if (reads_.size() >= reads_max)
    return protocol::to_caf({core::errc::unavailable, "too many logs are being read"});
  const auto number = ++last_read_;
  const bool started = tools_.threads->start([this, asked, number, logs = tools_.logs, me = protocol::executor_host{self_}] {
    auto lines = std::make_shared<core::result<core::log_lines>>(
      logs->read({asked.run, {}, asked.log_time}, asked.from_line, asked.bounds));
    protocol::anon_send(me, protocol::work_done{{[this, number, lines] {
      auto promise = std::move(reads_.extract(number).mapped());
      if (*lines)
        promise.deliver(std::move(**lines));
      else
        promise.deliver(protocol::to_caf(lines->error()));
    }}});
  });
  if (!started)
    return protocol::to_caf({core::errc::unavailable, "the executor could not start a thread"});
  auto promise = self_->make_response_promise<core::log_lines>();
  reads_.emplace(number, promise);
  return promise;
}

protocol::executor_state executor_host_state::state() const {
  const auto& counts = *tools_.counts;
  return {jobs_.size(), counts.running, counts.waiting, counts.unreported, runs_taken_};
}

// -- time ------------------------------------------------------------------------------------------------------------------

void executor_host_state::arm() {
  const bool needed = !jobs_.empty() || (draining_ != drain_step::none && draining_ != drain_step::done);
  if (!needed || std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::executor_host{self_}, now() + tick_period, protocol::tick_atom{});
}

void executor_host_state::tick() {
  armed_ = false;
  if (++ticks_ % slow_ticks == 0)
    for (const auto& [job, entry] : jobs_)
      protocol::send(self_, entry.thread, protocol::tick_atom{});
  else
    for (const auto job : timed_)
      if (const auto found = jobs_.find(job); found != jobs_.end())
        protocol::send(self_, found->second.thread, protocol::tick_atom{});
  go_on_draining();
  arm();
}

// -- the end ---------------------------------------------------------------------------------------------------------------

caf::result<void> executor_host_state::drain(std::chrono::milliseconds limit) {
  if (draining_ == drain_step::done)
    return caf::unit;
  drained_.push_back(self_->make_response_promise<void>());
  auto promise = drained_.back();
  if (draining_ == drain_step::none) {
    draining_ = drain_step::waits;
    drain_until_ = now() + limit;
    go_on_draining();
    arm();
  }
  return promise;
}

void executor_host_state::go_on_draining() {
  if (draining_ == drain_step::waits) {
    const bool over = undecided_ == 0 && tools_.counts->waiting == 0 && tools_.counts->running == 0;
    if (over || now() >= drain_until_)
      stop_jobs();
  }
  if (draining_ == drain_step::stops && (jobs_.empty() || now() >= drain_until_))
    flush();
}

void executor_host_state::stop_jobs() {
  draining_ = drain_step::stops;
  drain_until_ = now() + stop_limit;
  for (const auto& [job, entry] : jobs_)
    protocol::request(self_, entry.thread, patience, protocol::stop_worker{std::string{stop_reason}})
      .then([](bool) {}, [](const caf::error&) {});
}

void executor_host_state::flush() {
  draining_ = drain_step::flushes;
  if (!jobs_.empty())
    tools_.log->warn("{} jobs ignore their stop", jobs_.size());
  const auto done = [this] {
    draining_ = drain_step::done;
    for (auto& promise : std::exchange(drained_, {}))
      promise.deliver();
  };
  protocol::request(self_, tools_.callbacks, flush_limit + patience, protocol::flush_reports{flush_limit})
    .then([done] { done(); },
          [this, done](const caf::error& reason) {
            tools_.log->error("results will be reported after the next start: {}", caf::to_string(reason));
            done();
          });
}

} // namespace ringmaster::actors
