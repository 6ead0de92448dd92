#include "actors/trigger/trigger_pool.hpp"

#include <algorithm>
#include <utility>

#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto sweep_every = 1s;
constexpr auto executor_unused_max = 10min;

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
  : context_{.self = self, .settings = tools.settings, .clock = clock, .log = log,
             .lanes = core::lanes{limits_of(tools.settings)},
             .links = link_set{self, std::move(tools), misfire_after, clock, log}},
    sender_{context_, std::move(storage), misfire_after},
    router_{context_, sender_.avoided(), random_seed, [this] { arm(); }},
    next_sweep_{context_.steady_now() + sweep_every} {
  arm();
}

protocol::trigger_pool::behavior_type trigger_pool_state::make_behavior() {
  return {
    [this](protocol::route_request& request) { router_.route(std::move(request)); },
    [this](const protocol::slot_release& freed) { context_.lanes.give_back(freed.slots); },
    [this](protocol::firing_batch& batch) { sender_.fire(std::move(batch)); },
    [this](protocol::send_results& results) { sender_.take_results(std::move(results)); },
    [this](const protocol::registry_change& change) { change_registry(change); },
    [this](const protocol::executor_update& update) { sender_.hear(update); },
    [this](const protocol::trigger_partners& partners) { context_.partners = partners; },
    [this](protocol::native_link_update& update) {
      sender_.hear({update.address, update.up});
      context_.links.change_native(std::move(update));
    },
    [this](protocol::returned_runs& runs) {
      auto& links = context_.links;
      protocol::send(context_.self, links.of(runs.address, context_.steady_now(), runs.by), std::move(runs.batch));
    },
    [this](const protocol::link_query& query) { return find_link(query); },
    [this](protocol::tick_atom) { tick(); },
  };
}

caf::result<protocol::link_handle> trigger_pool_state::find_link(const protocol::link_query& query) {
  // It is not known yet which token to send to an executor.
  if (context_.registry->groups.empty())
    return protocol::to_caf({core::errc::unavailable, "this node does not know its groups yet"});
  auto& links = context_.links;
  return protocol::link_handle{links.of(query.address, context_.steady_now(), query.except), links.is_one_process(query.address)};
}

void trigger_pool_state::change_registry(const protocol::registry_change& change) {
  context_.registry = change.view;
  context_.links.change_registry(change);
  sender_.change_registry();
  router_.change_registry();
}

void trigger_pool_state::tick() {
  const auto t = context_.steady_now();
  if (armed_ && *armed_ <= t)
    armed_.reset();
  if (t >= next_sweep_) {
    next_sweep_ = t + sweep_every;
    context_.links.drop_unused(t, executor_unused_max);
    context_.lanes.forget_unused(t, executor_unused_max);
    sender_.sweep(t, router_.probing());
  }
  router_.go_on_probing();
}

void trigger_pool_state::arm() {
  auto wake = next_sweep_;
  if (const auto probe = router_.next())
    wake = std::min(wake, *probe);
  if (armed_ && *armed_ <= wake)
    return;
  armed_ = wake;
  protocol::send_at(context_.self, protocol::trigger_pool{context_.self}, wake, protocol::tick_atom{});
}

} // namespace ringmaster::actors
