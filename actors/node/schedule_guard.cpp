#include "actors/node/schedule_guard.hpp"

#include <utility>

#include "storage/reservations.hpp"

namespace ringmaster::actors {

schedule_guard_state::schedule_guard_state(protocol::schedule_guard::pointer self, protocol::store_worker worker, logger log)
  : self_{self}, worker_{std::move(worker)}, log_{std::move(log)} {}

protocol::schedule_guard::behavior_type schedule_guard_state::make_behavior() {
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { set_duty(is_native_ && change.slots.test(0)); },
    [this](protocol::tick_atom) {
      armed_ = false;
      look();
    },
  };
}

void schedule_guard_state::change_incarnation(const protocol::incarnation_change& change) {
  is_native_ = change.life && change.mode == core::cluster_mode::native;
  set_duty(false); // the slots of the new incarnation follow
}

void schedule_guard_state::set_duty(bool on) {
  duty_ = on;
  look();
}

void schedule_guard_state::look() {
  if (busy_)
    return;
  if (duty_)
    hold();
  else
    let_go();
}

void schedule_guard_state::hold() {
  busy_ = true;
  ask_store<bool>(
    self_, worker_,
    [](storage::store& store) -> core::result<bool> {
      auto* lock = store.reservations();
      return lock ? lock->hold() : core::result<bool>{false};
    },
    [this](core::result<bool>&& held) {
      busy_ = false;
      say(held && *held, held ? "" : held.error().context);
      if (duty_)
        arm();
      else
        let_go();
    });
}

void schedule_guard_state::let_go() {
  if (!std::exchange(holds_, false))
    return;
  busy_ = true;
  ask_store<void>(
    self_, worker_,
    [](storage::store& store) -> core::result<void> {
      auto* lock = store.reservations();
      return lock ? lock->let_go() : core::result<void>{};
    },
    [this](core::result<void>&&) {
      busy_ = false;
      look();
    });
}

void schedule_guard_state::arm() {
  if (std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::schedule_guard{self_}, self_->clock().now() + look_every, protocol::tick_atom{});
}

void schedule_guard_state::say(bool holds, const std::string& trouble) {
  if (holds && !holds_)
    log_->info("this node holds XXL-JOB's schedule lock, so that a Java admin started by mistake waits");
  if (!trouble.empty() && trouble_.empty())
    log_->warn("cannot take the schedule lock: does a Java admin run on this database, which is in native mode? ({})",
               trouble);
  holds_ = holds;
  trouble_ = trouble;
}

} // namespace ringmaster::actors
