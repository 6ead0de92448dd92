#include "actors/node/store_pulse.hpp"

#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

store_pulse_state::store_pulse_state(protocol::store_pulse::pointer self, protocol::store_worker worker,
                                     std::vector<protocol::pulse_listener> listeners)
  : self_{self}, worker_{std::move(worker)}, listeners_{std::move(listeners)} {}

protocol::store_pulse::behavior_type store_pulse_state::make_behavior() {
  next_tick_ = self_->clock().now();
  tick();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void store_pulse_state::change_incarnation(const protocol::incarnation_change& change) {
  ++epoch_;
  incarnation_ = change.life;
  asking_ = false;
  ask();
}

void store_pulse_state::tick() {
  next_tick_ = next_tick(next_tick_, period, self_->clock().now());
  protocol::send_at(self_, protocol::store_pulse{self_}, next_tick_, protocol::tick_atom{});
  ask();
}

void store_pulse_state::ask() {
  if (!incarnation_ || std::exchange(asking_, true))
    return;
  ask_store<core::pending_work>(
    self_, worker_,
    [incarnation = *incarnation_](storage::store& store) { return store.cluster().find_work(incarnation); },
    [this, epoch = epoch_](core::result<core::pending_work>&& found) {
      if (epoch == epoch_)
        answered(std::move(found));
    });
}

// After a failure it sends no update: the listeners poll again as soon as the last one is old.
void store_pulse_state::answered(core::result<core::pending_work>&& found) {
  asking_ = false;
  if (!found)
    return;
  for (const auto& listener : listeners_)
    protocol::send(self_, listener, protocol::pending_work_update{*found, period});
}

} // namespace ringmaster::actors
