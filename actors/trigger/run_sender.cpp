#include "actors/trigger/run_sender.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/run/trigger_note.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Time for which an address is avoided after a failed connection.
constexpr auto avoid_for = 30s;

core::trigger_result send_failure(const core::claimed_run& run, std::string message) {
  return {.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = 500, .message = std::move(message)};
}

} // namespace

run_sender::run_sender(trigger_context& context, protocol::storage_actor storage, core::milliseconds misfire_after)
  : context_{context},
    storage_{std::move(storage)},
    misfire_after_{misfire_after},
    avoidance_{avoid_for},
    metrics_{context.self->system()} {}

bool run_sender::missed(const core::claimed_run& run, core::time_point t) const {
  return run.plan.kind == core::trigger_kind::cron && run.plan.spec->misfire == core::misfire_policy::do_nothing
         && t > run.plan.fire_at + misfire_after_;
}

void run_sender::fire(protocol::firing_batch&& batch) {
  auto t = context_.now();
  protocol::trigger_results refused;
  protocol::sent_runs sent;
  sent.items.reserve(batch.runs.size());
  auto steady_t = context_.steady_now();
  std::unordered_map<std::string, protocol::send_batch> by_address;
  for (auto& run : batch.runs) {
    auto late = missed(run, t);
    if (late || run.plan.address.empty()) {
      refused.items.push_back(send_failure(run, late ? "missed: later than the misfire limit" : run.plan.route_note));
      context_.log->info("job={} run={} not sent: {}", core::number(run.plan.spec->id), core::number(run.id),
                         refused.items.back().message);
      refused.items.back().delivery_unknown = late; // no retries: they would run an instant that the misfire policy excludes
      context_.lanes.give_back(run.plan.lane, run.plan.address);
      metrics_.ended(run.plan.kind, trigger_end::failed);
      continue;
    }
    sent.items.push_back({run.id, run.plan.spec, run.plan.fire_at});
    context_.lanes.sent(run.plan.address, std::max(steady_t, run.leave_at));
    auto [group, first] = by_address.try_emplace(run.plan.address);
    if (first)
      group->second.listener = protocol::send_listener{context_.self};
    group->second.runs.push_back(std::move(run));
  }
  metrics_.sent(sent.items.size());
  if (!sent.items.empty())
    protocol::send(context_.self, context_.partners.completion, std::move(sent));
  for (auto& [address, runs] : by_address) {
    if (context_.links.is_absent(address))
      avoid(address); // these runs wait for the executor to connect; later ones prefer other executors
    protocol::send(context_.self, context_.links.of(address, steady_t), std::move(runs));
  }
  if (!refused.items.empty())
    protocol::send(context_.self, storage_, std::move(refused));
}

void run_sender::take_results(protocol::send_results&& results) {
  protocol::trigger_results recorded;
  protocol::unknown_batch unknown;
  recorded.items.reserve(results.items.size());
  for (auto& result : results.items) {
    count_end(result);
    const auto& plan = result.run.plan;
    // A run without an instant cannot be late.
    if (result.sent_at != protocol::wall_clock::steady{} && plan.fire_at != core::time_point{})
      metrics_.late(plan.spec->group, *context_.registry, result.sent_at - context_.clock.when(plan.fire_at));
    conclude(std::move(result), recorded, unknown);
  }
  if (!recorded.items.empty())
    protocol::send(context_.self, storage_, std::move(recorded));
  if (!unknown.runs.empty())
    protocol::send(context_.self, context_.partners.recovery, std::move(unknown));
}

void run_sender::count_end(const protocol::send_result& result) {
  const auto& plan = result.run.plan;
  if (result.state != protocol::send_state::unknown) // else recovery releases it
    context_.lanes.give_back(plan.lane, plan.address);
  if (result.state == protocol::send_state::gate_closed)
    context_.lanes.withheld(plan.address);
  else
    context_.lanes.ended(plan.address, result.state == protocol::send_state::answered, result.elapsed, context_.steady_now());
  if (result.unreachable) {
    avoid(plan.address);
  } else if (result.state == protocol::send_state::answered) {
    hear({plan.address, true});
    tell_answer(plan.address);
  }
  context_.lanes.took(plan.spec->id, result.elapsed, context_.now());
}

void run_sender::conclude(protocol::send_result&& result, protocol::trigger_results& recorded,
                          protocol::unknown_batch& unknown) {
  auto& run = result.run;
  switch (result.state) {
  case protocol::send_state::answered:
    metrics_.ended(run.plan.kind, result.code == 200 ? trigger_end::accepted : trigger_end::failed);
    if (result.code != 200)
      context_.log->info("job={} run={} refused by {}: code {}: {}", core::number(run.plan.spec->id), core::number(run.id),
                         run.plan.address, result.code, result.message);
    recorded.items.push_back({.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = result.code,
                              .message = result.code == 200 ? std::string{} : core::refusal_message(result.message)});
    break;
  case protocol::send_state::not_sent:
    metrics_.ended(run.plan.kind, trigger_end::failed);
    context_.log->info("job={} run={} not sent to {}: {}", core::number(run.plan.spec->id), core::number(run.id),
                       run.plan.address, result.message);
    recorded.items.push_back(send_failure(run, std::move(result.message)));
    break;
  case protocol::send_state::gate_closed:
    break; // still claimed: the next incarnation adopts it
  case protocol::send_state::unknown:
    metrics_.ended(run.plan.kind, trigger_end::unknown);
    context_.log->warn("job={} run={} no usable answer from {}: {}", core::number(run.plan.spec->id), core::number(run.id),
                       run.plan.address, result.message);
    unknown.runs.push_back({std::move(run), std::move(result.message), result.repeated});
    break;
  }
}

// -- executors -------------------------------------------------------------------------------------------------------------

void run_sender::avoid(const std::string& address) {
  if (!avoidance_.refused(address, context_.steady_now()))
    return;
  context_.log->warn("no connection to {}: other executors of its groups are preferred until it registers or {} s have passed",
                     address, std::chrono::seconds{avoid_for}.count());
  show_avoided();
  if (unreachable_.size() < core::address_avoidance::addresses_max)
    unreachable_.insert(address);
  if (context_.partners.registry)
    protocol::send(context_.self, context_.partners.registry, protocol::executor_update{address, false});
}

void run_sender::tell_answer(const std::string& address) {
  if (unreachable_.erase(address) > 0 && context_.partners.registry)
    protocol::send(context_.self, context_.partners.registry, protocol::executor_update{address, true});
}

void run_sender::hear(const protocol::executor_update& update) {
  if (!update.reachable || !avoidance_.heard(update.address))
    return;
  context_.log->info("{} responded: it is used again", update.address);
  show_avoided();
}

void run_sender::sweep(trigger_context::steady t, std::size_t probing) {
  metrics_.show(context_.lanes, probing);
  for (const auto& address : avoidance_.take_over(t))
    context_.log->info("{} is used again: the time without connections to it is over", address);
  show_avoided();
}

} // namespace ringmaster::actors
