#include "executor/elastic/elastic_job_host.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "core/elastic/error_target.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/part_names.hpp"
#include "core/text/text.hpp"
#include "executor/elastic/stop_request.hpp"
#include "protocol/elastic_border.hpp"

namespace ringmaster::executor::elastic {

using core::elastic::host_outcome;
using core::elastic::item_order;
using core::elastic::item_run_id;
using protocol::elastic_event_kind;

namespace {

constexpr std::int32_t item_succeeded = 200;
constexpr std::int32_t item_failed = 500;
/// Aborted batches that are remembered.
constexpr std::size_t aborted_max = 64;

constexpr std::string_view ended_early = "ended before it began";
constexpr std::string_view batch_aborted = "cancelled: another item of this fire has failed on this host, and the error handler"
                                           " of the job ends the fire";

/// Returns whether the node sends the messages of the job's error handler.
bool is_notified_by_node(const protocol::elastic_spec& spec) {
  if (!core::elastic::notifies_users(spec.error_handler))
    return false;
  const auto props = core::elastic::parse_props(spec.props);
  return !props || !core::elastic::is_notified_by_host(*props);
}

} // namespace

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
  };
}

void elastic_job_host_state::take(protocol::item_grants&& grants) {
  set_pool(grants.spec->pool);
  for (auto& grant : grants.items) {
    const auto number = grant.run;
    const bool hold = grant.hold;
    auto& run = runs_[number];
    run = {grants.spec, grants.param, std::move(grant), tools_.board->find(number)};
    if (is_aborted(run.grant)) {
      cancel(run, batch_aborted);
      continue;
    }
    if (!hold) {
      queue(run);
      continue;
    }
    protocol::elastic_event arrived;
    arrived.kind = elastic_event_kind::arrived;
    tell(run.grant, std::move(arrived));
  }
}

core::result<item_facts> elastic_job_host_state::facts_of(const item_run& run) {
  const auto& spec = run.spec;
  const auto& grant = run.grant;
  if (parsed_ != spec) {
    parsed_ = spec;
    params_ = core::elastic::parse_item_params(spec->item_params);
    props_ = core::elastic::parse_props(spec->props);
  }
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
  if (run.is_hook())
    return begin(run);
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
  if (!run.control || run.control->is_over())
    return cancel(run, ended_early);
  run.phase = run_phase::running;
  begun_ += run.is_hook() ? 0 : 1;
  auto facts = facts_of(run);
  if (!facts)
    return handle_error(run, {item_failed, facts.error().context});
  const auto now = tools_.wall();
  open_saves(run);
  const bool is_script = run.spec->kind == core::elastic::script_type;
  if (is_script)
    await_program(run);
  const core::run_identity log{core::log_id{core::number(number)}, core::job_id{core::number(job_)}, now};
  const bool began = tools_.bodies->start(
    {run.spec->handler, std::move(*facts), run.control, log},
    [me = protocol::elastic_job_host{self_}, number](core::run_outcome&& outcome) {
      protocol::anon_send(me, protocol::body_ended{static_cast<std::uint64_t>(core::number(number)), std::move(outcome)});
    });
  if (!began)
    return handle_error(run, {item_failed, "the executor could not start a thread for this run"});
  if (is_script)
    return;
  protocol::elastic_event started;
  started.kind = elastic_event_kind::started;
  started.at = now;
  tell(run.grant, std::move(started));
}

void elastic_job_host_state::take(const protocol::item_order& order) {
  const auto found = runs_.find(order.run);
  if (found == runs_.end() || found->second.grant.fence != order.fence)
    return;
  auto& run = found->second;
  switch (order.order) {
  case item_order::go:
    if (run.phase == run_phase::holding)
      queue(run);
    return;
  case item_order::drain:
    if (run.control)
      run.control->request_drain();
    return;
  case item_order::cancel:
  case item_order::kill:
  case item_order::close: return cancel(run, ended_early);
  }
}

void elastic_job_host_state::cancel(item_run& run, std::string_view why) {
  // The body has ended by itself: its result follows the error handler.
  if (run.phase == run_phase::handling)
    return;
  run.cancelled = true;
  if (!run.has_begun()) {
    std::erase(waiting_, run.grant.run);
    return ended(run.grant.run, {item_failed, std::string{why}});
  }
  request_stop(run.control, *tools_.threads);
}

// -- failures --------------------------------------------------------------------------------------------------------------

void elastic_job_host_state::body_over(item_run_id run, core::run_outcome&& outcome) {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return;
  auto& of = found->second;
  // A run that was asked to end, or is no longer this host's, is no failure of the job.
  const bool is_failure = outcome.code != item_succeeded && !of.cancelled && of.control && !of.control->is_over();
  if (is_failure)
    return handle_error(of, std::move(outcome));
  ended(run, std::move(outcome));
}

// The node hears of a failure by its result.
void elastic_job_host_state::handle_error(item_run& run, core::run_outcome&& outcome) {
  const auto number = run.grant.run;
  if (run.is_hook())
    return ended(number, std::move(outcome));
  const std::string name{core::elastic::error_handler_of(run.spec->error_handler)};
  if (!tools_.error_handlers || !tools_.error_handlers->contains(name) || is_notified_by_node(*run.spec)) {
    if (name == core::elastic::log_handler)
      log_->error("elastic job {}: item {} has failed: {}", run.spec->name, core::number(run.grant.item),
                  outcome.message.value_or(""));
    if (name == core::elastic::throw_handler)
      abort_batch(run);
    return ended(number, std::move(outcome));
  }
  const auto facts = facts_of(run);
  item_failure failure;
  failure.job = run.spec->name_space.empty() ? run.spec->name : run.spec->name_space + '/' + run.spec->name;
  failure.job_id = job_;
  failure.run = number;
  failure.task_id = facts ? facts->task_id : std::string{};
  failure.item = core::number(run.grant.item);
  failure.total = run.spec->total;
  failure.attempt = run.grant.attempt;
  failure.text = outcome.message.value_or("");
  run.phase = run_phase::handling;
  run.outcome = std::move(outcome);
  const bool began = tools_.threads->start(
    [errors = errors_, me = protocol::elastic_job_host{self_}, spec = run.spec, name, number, failure = std::move(failure)] {
      auto handled = errors->handle(name, spec->props, failure);
      protocol::anon_send(
        me, protocol::error_handled{number, handled.verdict == error_verdict::abort, std::move(handled.trouble)});
    });
  if (!began)
    take(protocol::error_handled{number, false, "the executor could not start a thread for the error handler"});
}

void elastic_job_host_state::take(const protocol::error_handled& handled) {
  const auto found = runs_.find(handled.run);
  if (found == runs_.end() || found->second.phase != run_phase::handling)
    return;
  auto& run = found->second;
  auto outcome = std::move(run.outcome);
  if (!handled.trouble.empty()) {
    log_->error("elastic job {}: item {}: {}", run.spec->name, core::number(run.grant.item), handled.trouble);
    outcome.message = outcome.message.value_or("") + " (" + handled.trouble + ')';
  }
  if (handled.aborts)
    abort_batch(run);
  ended(handled.run, std::move(outcome));
}

bool elastic_job_host_state::is_aborted(const protocol::elastic_grant& grant) const {
  // A takeover or a hook is none of the batch's items.
  return core::number(grant.item) >= 0 && grant.source != run_source::failover
         && std::find(aborted_.begin(), aborted_.end(), batch_key{grant.fire_at, grant.source}) != aborted_.end();
}

void elastic_job_host_state::abort_batch(const item_run& failed) {
  if (failed.grant.source == run_source::failover)
    return;
  if (!is_aborted(failed.grant))
    aborted_.emplace_back(failed.grant.fire_at, failed.grant.source);
  if (aborted_.size() > aborted_max)
    aborted_.pop_front();
  std::vector<item_run_id> over;
  for (const auto& [number, run] : runs_)
    if (!run.has_begun() && is_aborted(run.grant))
      over.push_back(number);
  for (const auto number : over)
    cancel(runs_.at(number), batch_aborted);
}

void elastic_job_host_state::ended(item_run_id run, core::run_outcome&& outcome) {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return;
  const auto of = std::move(found->second);
  runs_.erase(found);
  if (of.has_begun() && !of.is_hook())
    --begun_;
  protocol::elastic_event finished;
  finished.kind = elastic_event_kind::finished;
  finished.at = tools_.wall();
  const bool failed = outcome.code != item_succeeded;
  const bool yielded = of.spec->streaming && of.control && of.control->has_yielded();
  finished.outcome = of.cancelled ? host_outcome::cancelled
                     : failed     ? host_outcome::error
                     : yielded    ? host_outcome::yielded
                                  : host_outcome::success;
  if (failed)
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

void elastic_job_host_state::tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event) {
  name_run(event, grant);
  protocol::send(self_, host_, protocol::item_event{std::move(event)});
}

} // namespace ringmaster::executor::elastic
