#include "tests/simulation/elastic/sim_process.hpp"

#include <algorithm>
#include <utility>

#include "tests/simulation/elastic/job_world.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation::elastic {

namespace {

/// Time of the clocks of all processes at the start: zero is special to CAF.
constexpr span clock_base = std::chrono::hours{1};
constexpr std::int64_t million = 1'000'000;

caf::actor_clock::time_point steady_of(span boot) {
  return caf::actor_clock::time_point{std::chrono::duration_cast<caf::actor_clock::duration_type>(boot)};
}

} // namespace

sim_process::sim_process(job_world& in, std::string name, std::int64_t drift)
  : world_{in}, name_{std::move(name)}, drift_{drift} {
  coordinator_.clock().current_time = steady_of(boot());
}

sim_process::~sim_process() = default;

// -- its clocks ------------------------------------------------------------------------------------------------------------

span sim_process::boot_at(span true_time) const { return clock_base + true_time + true_time * drift_ / million; }

span sim_process::boot() const { return boot_at(world_.now()); }

span sim_process::true_time_of(span boot) const {
  auto out = (boot - clock_base) * million / (million + drift_);
  while (boot_at(out) >= boot)
    --out;
  while (boot_at(out) < boot)
    ++out;
  return out;
}

core::time_point sim_process::civil() const {
  return test::virtual_time::start + std::chrono::floor<core::milliseconds>(boot() - clock_base);
}

// -- faults ----------------------------------------------------------------------------------------------------------------

void sim_process::kill() {
  if (dead_)
    return;
  world_.say(name_ + " is killed");
  dead_ = true;
  ended_at_ = world_.now();
}

void sim_process::stop_for(milliseconds lasts) {
  if (!is_running())
    return;
  world_.say(name_ + " is stopped");
  stopped_ = true;
  world_.after(lasts, [self = weak_from_this()] {
    const auto me = self.lock();
    if (!me || me->dead_)
      return;
    me->stopped_ = false;
    me->world_.say(me->name_ + " goes on");
    me->go_on();
  });
}

// Messages and timers that waited meet each other in any order of their sources.
void sim_process::go_on() {
  const bool timers_first = world_.random(2) == 0;
  if (timers_first)
    advance_clock();
  for (const auto& each : std::exchange(aside_, {}))
    world_.fibers().resume(each.work);
  auto waiting = std::exchange(backlog_, {});
  for (auto each = waiting.begin(); each != waiting.end(); ++each) {
    if (!is_running()) {
      backlog_.insert(backlog_.end(), each, waiting.end());
      return;
    }
    (*each)();
  }
  advance_clock();
}

std::uint64_t sim_process::keep_aside() {
  aside_.push_back({world_.fibers().current(), ++next_ticket_});
  return next_ticket_;
}

bool sim_process::wait(milliseconds lasts) {
  after(lasts, [this, ticket = keep_aside()] {
    const auto found = std::find_if(aside_.begin(), aside_.end(), [ticket](const auto& each) { return each.ticket == ticket; });
    if (found == aside_.end())
      return;
    auto* const work = found->work;
    aside_.erase(found);
    world_.fibers().resume(work);
  });
  world_.fibers().suspend();
  return is_alive();
}

bool sim_process::stand_still(milliseconds lasts) {
  stop_for(lasts);
  keep_aside();
  world_.fibers().suspend();
  return is_alive();
}

// -- its turn --------------------------------------------------------------------------------------------------------------

bool sim_process::run_one() {
  auto& jobs = coordinator_.jobs;
  if (jobs.empty())
    return false;
  const auto at = world_.what().shuffle ? world_.random(jobs.size()) : 0;
  auto* const job = jobs[at];
  jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(at));
  switch (job->resume(&unit_, 1)) {
  case caf::resumable::resume_later: jobs.push_front(job); break;
  case caf::resumable::done:
  case caf::resumable::awaiting_message: caf::intrusive_ptr_release(job); break;
  case caf::resumable::shutdown_execution_unit: break;
  }
  return true;
}

bool sim_process::step() {
  if (!is_running() || coordinator_.jobs.empty())
    return false;
  // The call that suspends the fiber also resumes it.
  static_cast<void>(world_.fibers().run([this, self = shared_from_this()] {
    while (is_running() && run_one()) {
    }
  }));
  return true;
}

std::optional<span> sim_process::next_timer() {
  auto& timers = coordinator_.clock().schedule;
  if (!is_running() || timers.empty())
    return std::nullopt;
  return true_time_of(timers.begin()->first.time_since_epoch());
}

void sim_process::advance_clock() {
  if (!is_running())
    return;
  auto& clock = coordinator_.clock();
  // Also fires the timers that were set for a time in the past.
  if (const auto passed = steady_of(boot()) - clock.now(); passed >= caf::timespan{0})
    clock.advance_time(passed);
}

void sim_process::at(span when, std::function<void()> what) {
  world_.at(when, [self = weak_from_this(), what = std::move(what)]() mutable {
    const auto me = self.lock();
    if (!me || me->dead_)
      return;
    if (me->stopped_)
      me->backlog_.push_back(std::move(what));
    else
      what();
  });
}

void sim_process::after(span wait, std::function<void()> what) { at(world_.now() + wait, std::move(what)); }

// Without this the system would wait for the actors' timers.
void sim_process::reap() {
  if (std::exchange(reaped_, true))
    return;
  dead_ = true;
  for (const auto& each : std::exchange(aside_, {}))
    world_.fibers().resume(each.work);
  backlog_.clear();
  forget_actors();
  for (const auto& each : tracked_)
    caf::anon_send_exit(caf::actor_cast<caf::actor>(each), caf::exit_reason::kill);
  tracked_.clear();
  while (run_one()) {
  }
  coordinator_.clock().schedule.clear();
  while (run_one()) {
  }
}

} // namespace ringmaster::simulation::elastic
