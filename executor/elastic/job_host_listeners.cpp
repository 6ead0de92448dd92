// elastic_job_host: batches of items, and their listeners (EJ §12).

#include <algorithm>
#include <utility>

#include "core/elastic/name_list.hpp"
#include "executor/elastic/elastic_job_host.hpp"
#include "protocol/elastic_border.hpp"

namespace ringmaster::executor::elastic {

namespace {

/// Batches whose items are kept for once-listeners.
constexpr std::size_t batches_kept = 16;

std::string task_id_of(const batch_facts& facts, bool takes_over, const job_host_tools& tools) {
  auto out = facts.job + "@-@";
  for (const auto& each : facts.items)
    out += (&each == &facts.items.front() ? "" : ",") + std::to_string(each.item);
  return out + (takes_over ? "@-@FAILOVER@-@" : "@-@READY@-@") + tools.ip + "@-@" + std::to_string(tools.pid);
}

} // namespace

// -- batches ---------------------------------------------------------------------------------------------------------------

bool elastic_job_host_state::join_batch(item_run& run) {
  const auto fire = fire_of(run.grant);
  auto found = std::find_if(batches_.begin(), batches_.end(), [&](const auto& each) { return each.second.fire == fire; });
  const bool is_new = found == batches_.end();
  if (is_new)
    found = batches_.emplace(++last_batch_, batch{fire, run.spec, run.param, run.grant.source == run_source::failover}).first;
  found->second.items.insert(core::number(run.grant.item));
  found->second.open.insert(run.grant.run);
  if (is_new)
    found->second.log = log_of(run.grant.run, tools_.wall());
  run.batch = found->first;
  return is_new;
}

void elastic_job_host_state::open_batch(std::uint64_t number) {
  const auto found = batches_.find(number);
  if (found == batches_.end())
    return;
  if (found->second.spec->listeners.empty() || found->second.open.empty())
    return make_ready(number);
  call_listeners(listener_call::before, found->second, number);
}

void elastic_job_host_state::make_ready(std::uint64_t number) {
  const auto found = batches_.find(number);
  if (found == batches_.end())
    return;
  found->second.is_ready = true;
  const auto waiting = found->second.open;
  if (waiting.empty())
    return close_batch(found);
  // A run may end at once, and its batch with the last one.
  for (const auto each : waiting)
    if (const auto run = runs_.find(each); run != runs_.end())
      go_on(run->second);
}

void elastic_job_host_state::leave_batch(const item_run& run) {
  const auto found = batches_.find(run.batch);
  if (found == batches_.end())
    return;
  found->second.open.erase(run.grant.run);
  if (run.began_at != core::time_point{})
    found->second.log = log_of(run.grant.run, run.began_at);
  if (found->second.open.empty() && found->second.is_ready)
    close_batch(found);
}

void elastic_job_host_state::close_batch(batch_map::iterator which) {
  const auto over = std::move(which->second);
  batches_.erase(which);
  if (!over.spec->once_listeners.empty()) {
    over_.emplace_back(over.fire, over.items);
    if (over_.size() > batches_kept)
      over_.pop_front();
  }
  if (!over.spec->listeners.empty() && !over.is_aborted)
    call_listeners(listener_call::after, over, 0);
}

batch_facts elastic_job_host_state::facts_of(const batch& of) {
  batch_facts out;
  out.name_space = of.spec->name_space;
  out.job = of.spec->name;
  out.total = of.spec->total;
  out.job_param = of.param;
  out.fire_at = of.fire.at;
  parse(of.spec);
  for (const auto item : of.items) {
    batch_item one{item};
    if (const auto found = params_ ? core::elastic::param_of(*params_, item) : std::nullopt)
      one.param = std::string{*found};
    out.items.push_back(std::move(one));
  }
  out.task_id = task_id_of(out, of.takes_over, tools_);
  return out;
}

// -- each-node listeners ---------------------------------------------------------------------------------------------------

void elastic_job_host_state::call_listeners(listener_call call, const batch& of, std::uint64_t number) {
  const auto id = ++last_call_;
  calls_[id] = number;
  note_call(true);
  listener_work work{job_, call, core::elastic::names_in(of.spec->listeners), facts_of(of), nullptr, of.log};
  const bool began =
    tools_.bodies->call_listeners(std::move(work), [me = protocol::elastic_job_host{self_}, id](core::run_outcome&& outcome) {
      protocol::anon_send(me, protocol::listeners_ended{id, std::move(outcome)});
    });
  if (!began)
    take(protocol::listeners_ended{id, {failed, "the executor could not start a thread for the listeners"}});
}

void elastic_job_host_state::take(protocol::listeners_ended&& ended) {
  const auto found = calls_.find(ended.call);
  if (found == calls_.end())
    return;
  const auto number = found->second;
  calls_.erase(found);
  if (number != 0) {
    if (ended.outcome.code != succeeded)
      abort_batch(number);
    make_ready(number);
  }
  note_call(false, ended.outcome.message.value_or(""));
}

void elastic_job_host_state::note_call(bool begins, std::string failure) {
  protocol::send(self_, host_, protocol::listener_note{job_, begins, std::move(failure)});
}

// -- once-listeners --------------------------------------------------------------------------------------------------------

void elastic_job_host_state::begin_hook(item_run& run) {
  const auto number = run.grant.run;
  if (!run.control || !run.control->still_mine())
    return cancel(run, ended_early);
  const auto fire = fire_of(run.grant);
  batch of{fire, run.spec, run.param, run.grant.source == run_source::failover};
  for (const auto& [key, items] : over_)
    if (key == fire)
      of.items.insert(items.begin(), items.end());
  for (const auto& [key, each] : batches_)
    if (each.fire == fire)
      of.items.insert(each.items.begin(), each.items.end());
  auto facts = facts_of(of);
  facts.task_id += "@-@" + std::to_string(core::number(number));
  facts.fence = core::number(run.grant.fence);
  const auto now = tools_.wall();
  run.phase = run_phase::running;
  run.began_at = now;
  const auto call = run.grant.item == core::elastic::before_hook_item ? listener_call::before_all : listener_call::after_all;
  listener_work work{
    job_, call, core::elastic::names_in(run.spec->once_listeners), std::move(facts), run.control, log_of(number, now)};
  if (!tools_.bodies->call_listeners(std::move(work), on_end(number)))
    return handle_error(run, {failed, "the executor could not start a thread for the listeners"});
  tell_kind(run.grant, protocol::elastic_event_kind::started, now);
}

} // namespace ringmaster::executor::elastic
