#include "actors/trigger/trigger_pool.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/run/trigger_note.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto sweep_every = 1s;
constexpr auto executor_unused_max = 10min;
// Time for which an address is avoided after a failed connection.
constexpr auto avoid_for = 30s;

core::lane_limits limits_of(const config::trigger_settings& settings) {
  return {.window = {settings.fast_window, settings.slow_window},
          .slow_after = settings.slow_after,
          .slow_count = settings.slow_count,
          .silent_window = settings.connections_on_demand()};
}

} // namespace

trigger_pool_state::trigger_pool_state(protocol::trigger_pool::pointer self, protocol::storage_actor storage, link_tools tools,
                                       core::milliseconds misfire_after, std::uint64_t random_seed, protocol::wall_clock clock,
                                       logger log)
  : self_{self},
    storage_{std::move(storage)},
    probe_limit_{tools.settings.connect_timeout + tools.settings.request_timeout + 1s},
    misfire_after_{misfire_after},
    clock_{std::move(clock)},
    log_{std::move(log)},
    limits_{limits_of(tools.settings)},
    lanes_{limits_},
    history_{random_seed},
    avoidance_{avoid_for},
    probes_{probe_limits{}},
    registry_{std::make_shared<protocol::registry_view>()},
    links_{self, std::move(tools), misfire_after_, clock_, log_},
    next_sweep_{steady_now() + sweep_every},
    metrics_{self->system()},
    avoided_count_{self->system().metrics().gauge_singleton("ringmaster", "executors-avoided",
                                                            "Executor addresses to which the last connection failed.")} {
  arm();
}

protocol::trigger_pool::behavior_type trigger_pool_state::make_behavior() {
  return {
    [this](protocol::route_request& request) { route(std::move(request)); },
    [this](const protocol::slot_release& freed) { lanes_.give_back(freed.slots); },
    [this](protocol::firing_batch& batch) { fire(std::move(batch)); },
    [this](protocol::send_results& results) { take_results(std::move(results)); },
    [this](const protocol::registry_change& change) { change_registry(change); },
    [this](const protocol::executor_update& update) { hear(update); },
    [this](const protocol::trigger_partners& partners) {
      completion_ = partners.completion;
      recovery_ = partners.recovery;
      registry_monitor_ = partners.registry;
    },
    [this](protocol::native_link_update& update) {
      hear({update.address, update.up});
      links_.change_native(std::move(update));
    },
    [this](const protocol::link_query& query) -> caf::result<protocol::link_handle> {
      // It is not known yet which token to send to an executor.
      if (registry_->groups.empty())
        return protocol::to_caf({core::errc::unavailable, "this node does not know its groups yet"});
      const auto& link =
        query.http_only ? links_.own(query.address, steady_now()) : links_.of(query.address, steady_now());
      return protocol::link_handle{link, links_.is_one_process(query.address)};
    },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- sending ---------------------------------------------------------------------------------------------------------------

bool trigger_pool_state::missed(const core::claimed_run& run, core::time_point t) const {
  return run.plan.kind == core::trigger_kind::cron && run.plan.spec->misfire == core::misfire_policy::do_nothing
         && t > run.plan.fire_at + misfire_after_;
}

core::trigger_result trigger_pool_state::failure(const core::claimed_run& run, std::string message) const {
  return {.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = 500, .message = std::move(message)};
}

void trigger_pool_state::fire(protocol::firing_batch&& batch) {
  auto t = now();
  protocol::trigger_results refused;
  protocol::sent_runs sent;
  sent.items.reserve(batch.runs.size());
  auto steady_t = steady_now();
  std::unordered_map<std::string, protocol::send_batch> by_address;
  for (auto& run : batch.runs) {
    auto late = missed(run, t);
    if (late || run.plan.address.empty()) {
      refused.items.push_back(failure(run, late ? "missed: later than the misfire limit" : run.plan.route_note));
      log_->info("job={} run={} not sent: {}", core::number(run.plan.spec->id), core::number(run.id),
                 refused.items.back().message);
      refused.items.back().delivery_unknown = late; // no retries: they would run an instant that the misfire policy excludes
      lanes_.give_back(run.plan.lane, run.plan.address);
      count_end(run.plan, trigger_end::failed);
      continue;
    }
    sent.items.push_back({run.id, run.plan.spec, run.plan.fire_at});
    lanes_.sent(run.plan.address, std::max(steady_t, run.leave_at));
    auto [group, first] = by_address.try_emplace(run.plan.address);
    if (first)
      group->second.listener = protocol::send_listener{self_};
    group->second.runs.push_back(std::move(run));
  }
  metrics_.sent(sent.items.size());
  if (!sent.items.empty())
    protocol::send(self_, completion_, std::move(sent));
  for (auto& [address, runs] : by_address) {
    if (links_.is_absent(address))
      avoid(address); // these runs wait for the executor to connect; later ones prefer other executors
    protocol::send(self_, links_.of(address, steady_t), std::move(runs));
  }
  if (!refused.items.empty())
    protocol::send(self_, storage_, std::move(refused));
}

void trigger_pool_state::take_results(protocol::send_results&& results) {
  protocol::trigger_results recorded;
  protocol::unknown_batch unknown;
  recorded.items.reserve(results.items.size());
  for (auto& result : results.items) {
    count_end(result);
    const auto& plan = result.run.plan;
    // A run without an instant cannot be late.
    if (result.sent_at != protocol::wall_clock::steady{} && plan.fire_at != core::time_point{})
      metrics_.late(plan.spec->group, *registry_, result.sent_at - clock_.when(plan.fire_at));
    conclude(std::move(result), recorded, unknown);
  }
  if (!recorded.items.empty())
    protocol::send(self_, storage_, std::move(recorded));
  if (!unknown.runs.empty())
    protocol::send(self_, recovery_, std::move(unknown));
}

void trigger_pool_state::count_end(const protocol::send_result& result) {
  const auto& plan = result.run.plan;
  if (result.state != protocol::send_state::unknown) // else recovery releases it
    lanes_.give_back(plan.lane, plan.address);
  if (result.state == protocol::send_state::gate_closed)
    lanes_.withheld(plan.address);
  else
    lanes_.ended(plan.address, result.state == protocol::send_state::answered, result.elapsed, steady_now());
  if (result.unreachable)
    avoid(plan.address);
  else if (result.state == protocol::send_state::answered)
    hear({plan.address, true});
  lanes_.took(plan.spec->id, result.elapsed, now());
}

void trigger_pool_state::count_end(const core::planned_run& plan, trigger_end how) { metrics_.ended(plan.kind, how); }

void trigger_pool_state::conclude(protocol::send_result&& result, protocol::trigger_results& recorded,
                                  protocol::unknown_batch& unknown) {
  auto& run = result.run;
  switch (result.state) {
  case protocol::send_state::answered:
    count_end(run.plan, result.code == 200 ? trigger_end::accepted : trigger_end::failed);
    if (result.code != 200)
      log_->info("job={} run={} refused by {}: code {}: {}", core::number(run.plan.spec->id), core::number(run.id),
                 run.plan.address, result.code, result.message);
    recorded.items.push_back({.id = run.id, .claim = run.claim, .spec = run.plan.spec, .code = result.code,
                              .message = result.code == 200 ? std::string{} : core::refusal_message(result.message)});
    break;
  case protocol::send_state::not_sent:
    count_end(run.plan, trigger_end::failed);
    log_->info("job={} run={} not sent to {}: {}", core::number(run.plan.spec->id), core::number(run.id), run.plan.address,
               result.message);
    recorded.items.push_back(failure(run, std::move(result.message)));
    break;
  case protocol::send_state::gate_closed:
    break; // still claimed: the next incarnation adopts it
  case protocol::send_state::unknown:
    count_end(run.plan, trigger_end::unknown);
    log_->warn("job={} run={} no usable answer from {}: {}", core::number(run.plan.spec->id), core::number(run.id),
               run.plan.address, result.message);
    unknown.runs.push_back({std::move(run), std::move(result.message), result.repeated});
    break;
  }
}

// -- executors -------------------------------------------------------------------------------------------------------------

void trigger_pool_state::change_registry(const protocol::registry_change& change) {
  registry_ = change.view;
  links_.change_registry(change);
  metrics_.forget_groups();
  for (const auto& [id, group] : registry_->groups)
    missing_groups_.erase(id);
  std::erase_if(empty_groups_, [&](const auto& entry) {
    const auto group = registry_->groups.find(entry.first);
    return group == registry_->groups.end() || !group->second.addresses.empty();
  });
}

void trigger_pool_state::avoid(const std::string& address) {
  if (!avoidance_.refused(address, steady_now()))
    return;
  log_->warn("no connection to {}: other executors of its groups are preferred until it registers or {} s have passed", address,
             std::chrono::seconds{avoid_for}.count());
  show_avoided();
  if (registry_monitor_)
    protocol::send(self_, registry_monitor_, protocol::executor_update{address, false});
}

void trigger_pool_state::hear(const protocol::executor_update& update) {
  if (!update.reachable || !avoidance_.heard(update.address))
    return;
  log_->info("{} responded: it is used again", update.address);
  show_avoided();
}

void trigger_pool_state::show_avoided() { avoided_count_->value(static_cast<std::int64_t>(avoidance_.size())); }

void trigger_pool_state::tick() {
  auto t = steady_now();
  if (armed_ && *armed_ <= t)
    armed_.reset();
  if (t >= next_sweep_) {
    next_sweep_ = t + sweep_every;
    links_.drop_unused(t, executor_unused_max);
    lanes_.forget_unused(t, executor_unused_max);
    metrics_.show(lanes_, limits_, probes_.waiting());
    for (const auto& address : avoidance_.take_over(t))
      log_->info("{} is used again: the time without connections to it is over", address);
    show_avoided();
  }
  go_on_probing();
}

void trigger_pool_state::arm() {
  auto wake = next_sweep_;
  if (auto probe = probes_.next())
    wake = std::min(wake, *probe);
  if (armed_ && *armed_ <= wake)
    return;
  armed_ = wake;
  protocol::send_at(self_, protocol::trigger_pool{self_}, wake, protocol::tick_atom{});
}

core::time_point trigger_pool_state::now() const { return clock_.at(steady_now()); }

} // namespace ringmaster::actors
