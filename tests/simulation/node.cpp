#include "tests/simulation/node.hpp"

#include <utility>

#include "tests/simulation/features.hpp"
#include "tests/simulation/process.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation {

sim_node::sim_node(world& in, std::string name, milliseconds skew) : world_{in}, name_{std::move(name)}, skew_{skew} {}

sim_node::~sim_node() {
  dead_ = true;
  reap();
}

// -- lifecycle of the process ----------------------------------------------------------------------------------------------

void sim_node::start() {
  ++life_;
  dead_ = false;
  missed_answer_ = has_read_jobs_ = false;
  passages_.clear();
  world_.checker().process_begins(name_);
  process_ = std::make_unique<process>(*this, process::clock_base + world_.now() - frozen_);
  set_wall();
  world_.say(name_ + " starts");
  process_->begin();
}

void sim_node::crash(milliseconds lasts) {
  if (!is_up())
    return;
  world_.say(name_ + " crashes");
  dead_ = true;
  if (!may_start_ahead())
    jump_ = 0ms;
  paused_ = false;
  if (auto* shared = world_.shared())
    shared->unlock(name_); // its connections are gone
  world_.after(lasts, [this] { start(); });
}

void sim_node::stop(milliseconds lasts) {
  if (!is_up())
    return;
  world_.say(name_ + " is asked to stop");
  at(world_.now(), [this, lasts] {
    process_->stop([this, lasts, life = life_] {
      if (!is_up() || life != life_)
        return;
      world_.say(name_ + " has stopped");
      crash(lasts);
    });
  });
}

void sim_node::pause(milliseconds lasts, bool frozen, bool asleep) {
  if (!is_up() || paused_)
    return;
  world_.say(name_ + (frozen ? " freezes" : asleep ? " sleeps" : " is stopped"));
  paused_ = true;
  world_.after(lasts, [this, lasts, frozen, asleep, life = life_] {
    if (life != life_ || dead_)
      return;
    paused_ = false;
    if (frozen || asleep)
      frozen_ += lasts;
    if (asleep)
      slept_ += lasts;
    was_frozen_ = was_frozen_ || frozen;
    world_.say(name_ + " resumes");
    go_on();
  });
  if (frozen)
    was_frozen_ = true;
}

// Resumes the suspended calls of the process first, then events from outside.
void sim_node::go_on() {
  advance_clock();
  for (const auto& one : std::exchange(still_, {}))
    world_.fibers().resume(one.work);
  for (auto& waiting : std::exchange(backlog_, {})) {
    if (dead_ || paused_)
      backlog_.push_back(std::move(waiting));
    else
      waiting();
  }
}

void sim_node::reap() {
  if (!process_)
    return;
  for (const auto& one : std::exchange(still_, {}))
    world_.fibers().resume(one.work);
  backlog_.clear();
  forget_calls();
  process_->end();
  process_.reset();
  roles_.clear();
}

std::optional<std::int64_t> sim_node::dropped() {
  return is_up() && !missed_answer_ ? std::optional{process_->dropped()} : std::nullopt;
}

std::size_t sim_node::slots() { return is_up() ? process_->slots() : 0; }

bool sim_node::has_lease(std::int64_t incarnation) const { return is_up() && process_->gate().open_at(incarnation, boot()); }

void sim_node::step_clock(milliseconds by) {
  world_.say(name_ + ": the civil clock is set by " + std::to_string(by.count()) + " ms");
  skew_ += by;
}

void sim_node::jump_clock(milliseconds by) {
  world_.say(name_ + ": the civil clock jumps by " + std::to_string(by.count()) + " ms");
  if ((is_up() && process_->has_read_clock()) || may_start_ahead())
    jump_ = by;
}

// Without another clock, a node cannot detect that its clock was wrong at its first reading.
bool sim_node::may_start_ahead() const { return is_on(feature::jumps_at_start) && world_.what().database_clock; }

// -- its turn --------------------------------------------------------------------------------------------------------------

bool sim_node::step() {
  if (process_ && dead_) {
    reap();
    return true;
  }
  if (!is_up() || paused_ || !process_->is_ready())
    return false;
  auto* put_aside = world_.fibers().run([this, life = life_] {
    while (is_up() && !paused_ && life == life_ && process_->run_one()) {
    }
  });
  static_cast<void>(put_aside); // the caller that suspended it knows when to resume it
  return true;
}

std::optional<span> sim_node::next_timer() {
  if (!is_up() || paused_ || process_->time().schedule.empty())
    return std::nullopt;
  return process_->time().schedule.begin()->first.time_since_epoch() - process::clock_base + frozen_;
}

void sim_node::advance_clock() {
  if (!is_up() || paused_)
    return;
  caf::actor_clock::time_point now{process::clock_base + world_.now() - frozen_};
  // Also fires the timers that were set for a time in the past.
  if (auto passed = now - process_->time().now(); passed >= caf::timespan{0})
    process_->time().advance_time(passed);
}

core::time_point sim_node::civil() const { return process_->wall().at(process_->time().now()); }

core::time_point sim_node::system_clock() const { return world_.true_time() + skew_ + jump_; }

std::int64_t sim_node::boot() const { return (process::clock_base + world_.now() - frozen_ + slept_).count(); }

void sim_node::set_wall() {
  span start = test::virtual_time::start.time_since_epoch();
  process_->wall().set_offset(start - process::clock_base + frozen_ + skew_ + jump_);
}

void sim_node::at(span when, std::function<void()> what) {
  world_.at(when, [this, life = life_, what = std::move(what)]() mutable {
    if (life != life_ || !is_up())
      return;
    if (paused_)
      backlog_.push_back(std::move(what));
    else
      what();
  });
}

void sim_node::call_back(core::callback result, std::function<void(bool)> then) {
  process_->call_back(std::move(result), std::move(then));
}

void sim_node::edit(core::declared_set declared) { process_->edit(std::move(declared)); }

void sim_node::edit_by_hand(const hand_edit& what, const core::manual_trigger& wanted) { process_->edit_by_hand(what, wanted); }

// -- store calls -----------------------------------------------------------------------------------------------------------

std::uint64_t sim_node::keep_aside() {
  still_.push_back({world_.fibers().current(), ++next_ticket_});
  return next_ticket_;
}

bool sim_node::wait(milliseconds lasts) {
  at(world_.now() + lasts, [this, ticket = keep_aside()] {
    for (auto one = still_.begin(); one != still_.end(); ++one)
      if (one->ticket == ticket) {
        auto* work = one->work;
        still_.erase(one);
        world_.fibers().resume(work);
        return;
      }
  });
  world_.fibers().suspend();
  return is_up();
}

bool sim_node::stand_still(milliseconds lasts) {
  pause(lasts);
  keep_aside();
  world_.fibers().suspend();
  return is_up();
}

bool sim_node::wait_for_lock(std::string_view method) {
  constexpr auto look_every = 10ms;
  constexpr auto lock_wait_timeout = 1000ms;
  auto* shared = world_.shared();
  const bool in_shared_mode = shared && shared->mode().mode == core::cluster_mode::shared;
  const bool needs = (in_shared_mode && method == "reserve" && shared->rules().reserves_under_lock)
                     || (in_shared_mode && method == "apply" && shared->rules().edits_under_lock)
                     || (in_shared_mode && method == "put_back")
                     || (shared && !in_shared_mode && method == "hold" && shared->rules().closes_table);
  for (auto waited = 0ms; needs && shared->is_locked_for(name_); waited += look_every)
    if (waited >= lock_wait_timeout || !wait(look_every))
      return false;
  return true;
}

test::store_fault sim_node::fate_of(std::string_view method, const std::shared_ptr<const fault*>& meets) {
  *meets = nullptr;
  auto index = store_calls_++;
  world_.points.push_back({site::store, name_, index, world_.now(), std::string{method}});
  const auto* one = *meets = world_.strike(site::store, name_, index);
  const auto life = life_;
  auto alive = true;
  missed_answer_ = missed_answer_ || one || world_.store_is_down(name_);
  auto fate = world_.store_is_down(name_) ? test::store_fault::away : test::store_fault::none;
  if (one)
    switch (one->what) {
    case effect::crash_before: crash(one->lasts); return test::store_fault::away;
    case effect::pause_before: alive = stand_still(one->lasts); break;
    case effect::delay_before: alive = wait(one->lasts); break;
    case effect::away: return test::store_fault::away;
    case effect::lose_answer: fate = test::store_fault::answer_lost; break;
    case effect::wrong_answer: fate = test::store_fault::answer_wrong; break;
    default: break;
    }
  if (alive && method == "load_jobs" && !std::exchange(has_read_jobs_, true) && world_.what().first_read_takes > 0ms)
    alive = wait(world_.what().first_read_takes);
  if (!alive || life != life_ || fate == test::store_fault::away || !wait_for_lock(method))
    return test::store_fault::away;
  return is_up() && life == life_ ? fate : test::store_fault::away;
}

void sim_node::after_call(std::string_view method, const std::shared_ptr<const fault*>& meets) {
  const auto* one = std::exchange(*meets, nullptr);
  if (!one)
    return;
  const auto* off = world_.rule_off();
  if (off && off->decides_apart && method == "record" && one->what == effect::crash_after)
    world_.lose_decisions();
  switch (one->what) {
  case effect::crash_after: crash(one->lasts); break;
  case effect::pause_after: stand_still(one->lasts); break;
  case effect::delay_after: wait(one->lasts); break;
  default: break;
  }
}

core::result<std::unique_ptr<storage::store>> sim_node::open() {
  auto store = std::make_unique<test::faulty_store>(world_.open());
  auto meets = std::make_shared<const fault*>(nullptr);
  store->fault_of = [this, meets, life = life_](std::string_view method) {
    return dead_ || life != life_ ? test::store_fault::away : fate_of(method, meets);
  };
  store->after = [this, meets](std::string_view method) { after_call(method, meets); };
  if (world_.shared()) {
    roles_.push_back(std::make_unique<node_reservations>(
      *world_.shared(), name_,
      node_reservations::surroundings{store->fault_of, store->after, [this] { return civil(); }}));
    store->shared = roles_.back().get();
  }
  return std::unique_ptr<storage::store>{std::move(store)};
}

} // namespace ringmaster::simulation
