#include "executor/elastic/elastic_job_host.hpp"

#include <utility>

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

} // namespace

elastic_job_host_state::elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job,
                                               protocol::elastic_host host, job_host_tools tools)
  : self_{self}, job_{job}, host_{std::move(host)}, tools_{std::move(tools)} {}

protocol::elastic_job_host::behavior_type elastic_job_host_state::make_behavior() {
  return {
    [this](protocol::item_grants& grants) { take(std::move(grants)); },
    [this](const protocol::item_order& order) { take(order); },
    [this](protocol::body_ended& body) {
      ended(item_run_id{static_cast<std::int64_t>(body.number)}, std::move(body.outcome));
    },
  };
}

void elastic_job_host_state::take(protocol::item_grants&& grants) {
  for (auto& grant : grants.items) {
    const auto number = grant.run;
    const bool hold = grant.hold;
    auto& run = runs_[number];
    run = {grants.spec, grants.param, std::move(grant), tools_.board->find(number)};
    if (!hold) {
      begin(run);
      continue;
    }
    protocol::elastic_event arrived;
    arrived.kind = elastic_event_kind::arrived;
    tell(run.grant, std::move(arrived));
  }
}

core::result<item_facts> elastic_job_host_state::facts_of(const item_run& run) {
  const auto& [spec, param, grant, control, has_begun, cancelled] = run;
  if (parsed_ != spec) {
    parsed_ = spec;
    params_ = core::elastic::parse_item_params(spec->item_params);
  }
  if (!params_)
    return tl::unexpected{params_.error()};
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
  out.job_param = param;
  if (const auto found = core::elastic::param_of(*params_, item))
    out.item_param = std::string{*found};
  out.fence = core::number(grant.fence);
  out.streaming = spec->streaming;
  return out;
}

void elastic_job_host_state::begin(item_run& run) {
  const auto number = run.grant.run;
  // Closed or fenced before it began.
  if (!run.control || run.control->is_over())
    return cancel(run);
  auto facts = facts_of(run);
  if (!facts)
    return ended(number, {item_failed, "the job has invalid item parameters: " + facts.error().context});
  const auto now = tools_.wall();
  run.has_begun = true;
  const core::run_identity log{core::log_id{core::number(number)}, core::job_id{core::number(job_)}, now};
  const bool began = tools_.bodies->start(
    {run.spec->handler, std::move(*facts), run.control, log},
    [me = protocol::elastic_job_host{self_}, number](core::run_outcome&& outcome) {
      protocol::anon_send(me, protocol::body_ended{static_cast<std::uint64_t>(core::number(number)), std::move(outcome)});
    });
  if (!began)
    return ended(number, {item_failed, "the executor could not start a thread for this run"});
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
    if (!run.has_begun)
      begin(run);
    return;
  case item_order::drain:
    if (run.control)
      run.control->request_drain();
    return;
  case item_order::cancel:
  case item_order::kill:
  case item_order::close: return cancel(run);
  }
}

void elastic_job_host_state::cancel(item_run& run) {
  run.cancelled = true;
  if (!run.has_begun)
    return ended(run.grant.run, {item_failed, "ended before it began"});
  request_stop(run.control, *tools_.threads);
}

void elastic_job_host_state::ended(item_run_id run, core::run_outcome&& outcome) {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    return;
  const auto of = std::move(found->second);
  runs_.erase(found);
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

void elastic_job_host_state::tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event) {
  event.job = job_;
  event.item = grant.item;
  event.run = grant.run;
  event.fence = grant.fence;
  protocol::send(self_, host_, protocol::item_event{std::move(event)});
}

} // namespace ringmaster::executor::elastic
