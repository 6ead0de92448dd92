#include "actors/firing/ring_actor.hpp"

#include <utility>

namespace ringmaster::actors {

ring_actor_state::ring_actor_state(protocol::ring_actor::pointer self, protocol::trigger_pool pool, core::milliseconds ahead,
                                   protocol::wall_clock clock)
  : self_{self}, pool_{std::move(pool)}, ahead_{ahead}, clock_{std::move(clock)} {}

protocol::ring_actor::behavior_type ring_actor_state::make_behavior() {
  return {
    [this](protocol::firing_batch& batch) { hold(std::move(batch)); },
    [this](const protocol::incarnation_change&) { forget(); },
    [this](protocol::tick_atom) { fire_due(); },
  };
}

void ring_actor_state::hold(protocol::firing_batch&& batch) {
  for (auto& run : batch.runs) {
    run.leave_at = clock_.when(run.plan.fire_at);
    auto due = run.leave_at - ahead_;
    heap_.push(due, std::move(run));
  }
  fire_due();
}

// The runs of an earlier incarnation stay claimed in the store; recovery asks about them. Their slots are free again.
void ring_actor_state::forget() {
  protocol::slot_release freed;
  for (const auto& run : heap_.take_due(protocol::wall_clock::steady::max()))
    freed.slots.add(run.plan);
  heap_.clear();
  protocol::send(self_, pool_, freed);
}

void ring_actor_state::fire_due() {
  auto now = self_->clock().now();
  if (armed_ && *armed_ <= now)
    armed_.reset();
  if (auto due = heap_.take_due(now); !due.empty())
    protocol::send(self_, pool_, protocol::firing_batch{std::move(due)});
  arm();
}

void ring_actor_state::arm() {
  auto next = heap_.next();
  if (!next || (armed_ && *armed_ <= *next))
    return;
  armed_ = next;
  protocol::send_at(self_, protocol::ring_actor{self_}, *next, protocol::tick_atom{});
}

} // namespace ringmaster::actors
