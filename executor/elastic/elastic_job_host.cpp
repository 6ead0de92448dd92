#include "executor/elastic/elastic_job_host.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/elastic/job_types.hpp"
#include "core/elastic/part_names.hpp"
#include "core/text/text.hpp"
#include "protocol/elastic_border.hpp"

namespace ringmaster::executor::elastic {

using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;

elastic_job_host_state::elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job,
                                               protocol::elastic_host host, job_host_tools tools, protocol::logger log)
  : self_{self},
    job_{job},
    host_{std::move(host)},
    tools_{std::move(tools)},
    log_{std::move(log)},
    errors_{std::make_shared<job_errors>(tools_.error_handlers)} {}

protocol::elastic_job_host::behavior_type elastic_job_host_state::make_behavior() {
  return {
    [this](protocol::item_grants& grants) {
      take(std::move(grants));
      begin_waiting();
    },
    [this](const protocol::item_order& order) {
      take(order);
      begin_waiting();
    },
    [this](protocol::body_ended& body) {
      body_over(item_run_id{static_cast<std::int64_t>(body.number)}, std::move(body.outcome));
      begin_waiting();
    },
    [this](const protocol::error_handled& handled) {
      take(handled);
      begin_waiting();
    },
    [this](protocol::listeners_ended& call) {
      take(std::move(call));
      begin_waiting();
    },
  };
}

void elastic_job_host_state::take(protocol::item_grants&& grants) {
  set_pool(grants.spec->pool);
  std::vector<std::uint64_t> batches;
  for (auto& grant : grants.items) {
    const auto number = grant.run;
    auto& run = runs_[number];
    run = {grants.spec, grants.param, std::move(grant), tools_.board->find(number)};
    if (run.is_hook())
      begin_hook(run);
    else if (!grants.spec->streaming && is_aborted(run.grant)) // a stream may only have moved here
      cancel(run, fire_aborted);
    else if (grants.spec->listeners.empty() && grants.spec->once_listeners.empty())
      go_on(run);
    else if (join_batch(run))
      batches.push_back(run.batch);
    else if (batches_.at(run.batch).is_ready)
      go_on(run);
  }
  for (const auto each : batches)
    open_batch(each);
}

void elastic_job_host_state::go_on(item_run& run) {
  if (!run.grant.hold || run.released)
    return queue(run);
  run.phase = run_phase::holding;
  tell_kind(run.grant, elastic_event_kind::arrived);
}

void elastic_job_host_state::parse(const spec_ptr& spec) {
  if (parsed_ == spec)
    return;
  parsed_ = spec;
  params_ = core::elastic::parse_item_params(spec->item_params);
  props_ = core::elastic::parse_props(spec->props);
}

core::result<item_facts> elastic_job_host_state::facts_of(const item_run& run) {
  const auto& spec = run.spec;
  const auto& grant = run.grant;
  parse(spec);
  if (!params_)
    return core::fail(params_.error().code, "the job has invalid item parameters: " + params_.error().context);
  if (!props_)
    return core::fail(props_.error().code, "the job has " + props_.error().context);
  const auto item = core::number(grant.item);
  const bool takes_over = grant.source == run_source::failover;
  item_facts out;
  out.job = spec->name;
  out.task_id = spec->name + "@-@" + std::to_string(item) + (takes_over ? "@-@FAILOVER@-@" : "@-@READY@-@") + tools_.ip + "@-@"
                + std::to_string(tools_.pid) + "@-@" + std::to_string(core::number(grant.run));
  out.item = item;
  out.total = spec->total;
  out.attempt = grant.attempt;
  out.source = grant.source;
  out.job_param = run.param;
  if (const auto found = core::elastic::param_of(*params_, item))
    out.item_param = std::string{*found};
  out.fence = core::number(grant.fence);
  out.streaming = spec->streaming;
  out.cursor = grant.cursor;
  out.props = *props_;
  return out;
}

// -- the pool --------------------------------------------------------------------------------------------------------------

// A job that has another pool now keeps its running items: they only count for the new limit.
void elastic_job_host_state::set_pool(const std::string& name) {
  const auto pool = core::elastic::pool_of(name);
  limit_ = core::elastic::built_in_limit(pool, tools_.processors);
  if (limit_ == 0 && tools_.pools)
    if (const auto found = tools_.pools->find(pool); found != tools_.pools->end())
      limit_ = found->second;
  limit_ = std::max<std::size_t>(limit_, 1);
}

void elastic_job_host_state::queue(item_run& run) {
  run.phase = run_phase::waiting;
  waiting_.push_back(run.grant.run);
}

void elastic_job_host_state::begin_waiting() {
  while (!waiting_.empty() && begun_ < limit_) {
    const auto found = runs_.find(waiting_.front());
    waiting_.pop_front();
    if (found != runs_.end())
      begin(found->second);
  }
}

// -- runs ------------------------------------------------------------------------------------------------------------------

void elastic_job_host_state::begin(item_run& run) {
  const auto number = run.grant.run;
  // Closed or fenced before it began.
  if (!run.control || !run.control->still_mine())
    return cancel(run, ended_early);
  run.phase = run_phase::running;
  ++begun_;
  auto facts = facts_of(run);
  if (!facts)
    return handle_error(run, {failed, facts.error().context});
  const auto now = tools_.wall();
  open_saves(run);
  const bool is_script = run.spec->kind == core::elastic::script_type;
  if (is_script)
    await_program(run);
  run.began_at = now;
  if (!tools_.bodies->start({run.spec->handler, std::move(*facts), run.control, log_of(number, now)}, on_end(number)))
    return handle_error(run, {failed, "the executor could not start a thread for this run"});
  if (!is_script)
    tell_kind(run.grant, elastic_event_kind::started, now);
}

std::function<void(core::run_outcome&&)> elastic_job_host_state::on_end(item_run_id run) const {
  return [me = protocol::elastic_job_host{self_}, run](core::run_outcome&& outcome) {
    protocol::anon_send(me, protocol::body_ended{static_cast<std::uint64_t>(core::number(run)), std::move(outcome)});
  };
}

core::run_identity elastic_job_host_state::log_of(item_run_id run, core::time_point at) const {
  return {core::log_id{core::number(run)}, core::job_id{core::number(job_)}, at};
}

void elastic_job_host_state::take(const protocol::item_order& order) {
  const auto found = runs_.find(order.run);
  if (found == runs_.end() || found->second.grant.fence != order.fence)
    return;
  auto& run = found->second;
  switch (order.order) {
  case item_order::go:
    run.released = true;
    if (run.phase == run_phase::holding)
      queue(run);
    return;
  case item_order::drain:
    if (run.control)
      run.control->request_drain();
    return;
  case item_order::cancel: return cancel(run, ended_early);
  case item_order::kill:
  case item_order::close: return cancel(run, ended_early, stop_way::at_once);
  }
}

void elastic_job_host_state::cancel(item_run& run, std::string_view why, stop_way how) {
  // The body has ended by itself: its result follows the error handler.
  if (run.phase == run_phase::handling)
    return;
  run.cancelled = true;
  if (!run.has_begun()) {
    std::erase(waiting_, run.grant.run);
    return ended(run.grant.run, {failed, std::string{why}});
  }
  request_stop(run.control, how, *tools_.threads);
}

void elastic_job_host_state::ended(item_run_id run, core::run_outcome&& outcome) {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return;
  const auto of = std::move(found->second);
  runs_.erase(found);
  if (of.has_begun() && !of.is_hook())
    --begun_;
  // The host must not take the job as idle between this result and the call of its listeners.
  leave_batch(of);
  protocol::elastic_event finished;
  finished.kind = elastic_event_kind::finished;
  finished.at = tools_.wall();
  const bool is_failure = outcome.code != succeeded;
  const bool yielded = of.spec->streaming && of.control && of.control->has_yielded();
  finished.outcome = of.cancelled ? host_outcome::cancelled
                     : is_failure ? host_outcome::error
                     : yielded    ? host_outcome::yielded
                                  : host_outcome::success;
  if (is_failure)
    finished.text = core::cut_bytes(outcome.message.value_or(""), protocol::elastic_link_limits::text_bytes_max);
  tell(of.grant, std::move(finished));
}

void elastic_job_host_state::open_saves(const item_run& run) {
  protocol::elastic_event event;
  event.kind = elastic_event_kind::cursor;
  name_run(event, run.grant);
  run.control->saves().open([host = host_, event = std::move(event)](std::uint64_t number, std::string&& value) {
    auto saved = event;
    saved.cursor = std::move(value);
    saved.cursor_number = number;
    protocol::anon_send(host, protocol::item_event{std::move(saved)});
  });
}

void elastic_job_host_state::await_program(const item_run& run) {
  protocol::elastic_event event;
  event.kind = elastic_event_kind::started;
  name_run(event, run.grant);
  run.control->on_program([host = host_, wall = tools_.wall, event = std::move(event)](std::int64_t supervisor) {
    auto started = event;
    started.at = wall();
    started.child_pid = supervisor;
    protocol::anon_send(host, protocol::item_event{std::move(started)});
  });
}

void elastic_job_host_state::name_run(protocol::elastic_event& event, const protocol::elastic_grant& grant) const {
  event.job = job_;
  event.item = grant.item;
  event.run = grant.run;
  event.fence = grant.fence;
}

void elastic_job_host_state::tell_kind(const protocol::elastic_grant& grant, elastic_event_kind kind, core::time_point at) {
  protocol::elastic_event event;
  event.kind = kind;
  event.at = at;
  tell(grant, std::move(event));
}

void elastic_job_host_state::tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event) {
  name_run(event, grant);
  protocol::send(self_, host_, protocol::item_event{std::move(event)});
}

} // namespace ringmaster::executor::elastic
