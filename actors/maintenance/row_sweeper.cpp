#include "actors/maintenance/row_sweeper.hpp"

#include <utility>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds sweeper_tick{100};
/// Age from which undecided rows without a claim will stay so, and from which taken intents are no longer needed.
constexpr std::chrono::minutes settled_after{10};
constexpr std::chrono::minutes sweep_period{1};
/// Pause between two sections of the log, while there is more.
constexpr milliseconds sweep_pause{1'000};
constexpr std::size_t abandoned_limit = 500;
constexpr milliseconds forget_period{1'000};
constexpr milliseconds forget_pause{100};

} // namespace

row_sweeper_state::row_sweeper_state(protocol::row_sweeper::pointer self, leader_workers workers, protocol::wall_clock clock,
                                     logger log)
  : self_{self},
    store_{self, std::move(workers)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    abandoned_count_{make_counter(self->system(), "runs-abandoned", "Runs without a claim that the sweep recorded as failed.")},
    forgotten_count_{make_counter(self->system(), "intents-forgotten", "Taken intents that were removed.")} {}

protocol::row_sweeper::behavior_type row_sweeper_state::make_behavior() {
  next_tick_ = self_->clock().now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void row_sweeper_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  set_duty(false); // the slots of the new incarnation follow
}

void row_sweeper_state::change_slots(const protocol::slot_change& change) { set_duty(alive_ && change.slots.test(0)); }

void row_sweeper_state::set_duty(bool on) {
  if (std::exchange(duty_, on) == on)
    return;
  store_.change();
  failing_ = forgetting_ = false;
  next_sweep_ = next_forget_ = self_->clock().now();
}

void row_sweeper_state::tick() {
  const auto now = self_->clock().now();
  if (now < next_tick_)
    return;
  arm();
  if (!duty_)
    return;
  if (!failing_ && now >= next_sweep_)
    fail_abandoned();
  if (!forgetting_ && now >= next_forget_)
    forget_intents();
}

void row_sweeper_state::arm() {
  next_tick_ = next_tick(next_tick_, sweeper_tick, self_->clock().now());
  protocol::send_at(self_, protocol::row_sweeper{self_}, next_tick_, protocol::tick_atom{});
}

void row_sweeper_state::fail_abandoned() {
  failing_ = true;
  store_.write_much<core::sweep_outcome>(
    [before = age_limit()](storage::store& store) { return store.firings().fail_abandoned(before, abandoned_limit); },
    [this](const core::result<core::sweep_outcome>& swept) {
      failing_ = false;
      next_sweep_ = self_->clock().now() + (swept && swept->more ? milliseconds{sweep_pause} : milliseconds{sweep_period});
      if (!swept)
        return;
      add(abandoned_count_, swept->failed);
      if (swept->failed > 0)
        log_->warn("recorded {} runs without a claim as failed", swept->failed);
    });
}

void row_sweeper_state::forget_intents() {
  forgetting_ = true;
  store_.write_much<std::size_t>(
    [before = age_limit()](storage::store& store) { return store.maintenance().forget_taken_intents(before, intents_per_step); },
    [this](const core::result<std::size_t>& gone) {
      forgetting_ = false;
      const bool more = gone && *gone == intents_per_step;
      next_forget_ = self_->clock().now() + (more ? forget_pause : forget_period);
      if (gone)
        add(forgotten_count_, *gone);
    });
}

core::time_point row_sweeper_state::age_limit() const { return clock_.at(self_->clock().now()) - settled_after; }

} // namespace ringmaster::actors
