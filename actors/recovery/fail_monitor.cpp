#include "actors/recovery/fail_monitor.hpp"

#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

/// Each failure takes three statements in one transaction on the connection of the heartbeats; the next sweep follows soon.
constexpr std::size_t failures_limit = 100;
constexpr std::size_t recovery_limit = 200;

} // namespace

fail_monitor_state::fail_monitor_state(protocol::fail_monitor::pointer self, protocol::storage_actor storage,
                                       protocol::intent_listener planner, protocol::wall_clock clock, logger log)
  : self_{self}, storage_{std::move(storage)}, planner_{std::move(planner)}, clock_{std::move(clock)}, log_{std::move(log)} {}

protocol::fail_monitor::behavior_type fail_monitor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void fail_monitor_state::change_incarnation(const protocol::incarnation_change& change) { alive_ = change.life.has_value(); }

void fail_monitor_state::tick() {
  const auto now = self_->clock().now();
  if (now < next_tick_)
    return;
  arm();
  if (!alive_)
    return;
  if (!sweeping_ && now >= next_sweep_)
    sweep();
  if (!looking_ && now >= next_look_)
    find_recoveries();
}

void fail_monitor_state::sweep() {
  sweeping_ = true;
  next_sweep_ = self_->clock().now() + period;
  ask_store<core::failure_sweep>(
    self_, storage_,
    [t = clock_.at(self_->clock().now())](storage::store& store) { return store.alarms().sweep(t, true, failures_limit); },
    [this](core::result<core::failure_sweep>&& outcome) { swept(std::move(outcome)); }, store_patience,
    protocol::store_turn::patient);
}

void fail_monitor_state::swept(core::result<core::failure_sweep>&& outcome) {
  sweeping_ = false;
  if (!outcome) {
    log_->warn("the sweep for undecided failures failed: {}", outcome.error().context);
    return;
  }
  if (outcome->decided > 0)
    log_->info("fail monitor: decided {} failures, {} of them claimed by an admin that died; {} retries",
               outcome->decided, outcome->released, outcome->intents.size());
  if (!outcome->intents.empty())
    protocol::send(self_, planner_, protocol::intent_batch{std::move(outcome->intents)});
  if (outcome->more)
    next_sweep_ = self_->clock().now() + pause;
}

void fail_monitor_state::find_recoveries() {
  looking_ = true;
  next_look_ = self_->clock().now() + period;
  ask_store<std::size_t>(
    self_, storage_,
    [t = clock_.at(self_->clock().now())](storage::store& store) {
      return store.alarms().find_recoveries(t, recovery_limit);
    },
    [this](const core::result<std::size_t>& found) {
      looking_ = false;
      if (!found)
        log_->warn("the search for jobs that succeed again failed: {}", found.error().context);
    },
    store_patience, protocol::store_turn::patient);
}

void fail_monitor_state::arm() {
  next_tick_ = next_tick(next_tick_, pause, self_->clock().now());
  protocol::send_at(self_, protocol::fail_monitor{self_}, next_tick_, protocol::tick_atom{});
}

} // namespace ringmaster::actors
