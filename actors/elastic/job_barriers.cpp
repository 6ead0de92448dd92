// job_coordination: barriers of the once-listeners.

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/elastic/error_target.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

bool is_hook(elastic::item_number which) noexcept { return core::number(which) < 0; }

/// Returns the words of a barrier that is late, for its record. `missing`: number of items that it still waited for.
std::string words_of_late(bool before, std::size_t missing) {
  return "the barrier " + std::string{before ? "before" : "after"} +
         " the items was not complete in time: " + std::to_string(missing) + (before ? " had not arrived" : " had not ended");
}

} // namespace

elastic::barrier_limits job_coordination::limits() const {
  return {job_->what.options.started_timeout, job_->what.options.completed_timeout};
}

elastic::fire_machine* job_coordination::barrier_of(const fire_key& fire) {
  const auto found =
    std::find_if(once_.barriers.begin(), once_.barriers.end(), [&](const auto& each) { return each.first == fire; });
  return found == once_.barriers.end() ? nullptr : &found->second;
}

void job_coordination::tell_barriers(const std::vector<elastic::barrier_event>& events, job_moment at) {
  if (!once_.barriers.empty())
    for (const auto& each : events)
      tell_barrier(each.fire, each.what, at);
}

void job_coordination::tell_barrier(const fire_key& fire, const elastic::fire_machine_event& what, job_moment at) {
  auto* machine = barrier_of(fire);
  if (machine == nullptr) {
    // Its barrier is over: nothing may hold without an end.
    if (const auto* late = std::get_if<elastic::fire_event::arrived>(&what))
      send_go(late->item);
    return;
  }
  const auto missing = machine->missing();
  carry_out(fire, machine->apply(what, at.now), missing, at);
}

// `missing`: number of participants that the barrier waited for before the event.
void job_coordination::carry_out(const fire_key& fire, const elastic::fire_decision& decision, std::size_t missing,
                                 job_moment at) {
  namespace action = elastic::fire_action;
  std::optional<elastic::fire_step_write> step;
  op_note note{op_note::kind::step, {}, fire};
  std::string late;
  const auto leave = [&] {
    if (step)
      emit(std::move(*step), std::exchange(note, {op_note::kind::step, {}, fire}));
    step.reset();
  };
  for (const auto& each : decision.actions) {
    if (const auto* state = std::get_if<action::write_state>(&each)) {
      leave();
      step = elastic::fire_step_write{who_.job, fire, state->from, state->to, std::nullopt, std::exchange(late, {})};
      if (!step->late.empty())
        note_late(*step, note, at);
    } else if (const auto* hook = std::get_if<action::start_hook>(&each); hook != nullptr && step) {
      step->hook = start_hook(fire, *hook, at);
      if (step->hook)
        note.items.push_back(hook->hook);
    } else if (std::holds_alternative<action::release_all>(each)) {
      note.releases = true;
    } else if (const auto* go = std::get_if<action::release_one>(&each)) {
      send_go(go->item);
    } else if (const auto* timed_out = std::get_if<action::report_timeout>(&each)) {
      late = words_of_late(timed_out->before, missing);
      out_.problems.push_back(late);
    }
  }
  leave();
  std::erase_if(once_.barriers, [&](const auto& barrier) { return barrier.first == fire && barrier.second.is_done(); });
}

// The hook has no run.
void job_coordination::note_late(const elastic::fire_step_write& step, op_note& note, job_moment at) const {
  note.facts.emplace_back(fact::late_barrier{});
  const auto hook = step.from == elastic::fire_state::gathering ? elastic::before_hook_item : elastic::after_hook_item;
  if (elastic::notifies_users(job_->what.options.error_handler))
    note.errors.push_back({job_, hook, {}, {}, at.wall, step.late});
}

// -- hooks -----------------------------------------------------------------------------------------------------------------

// The hook of an earlier fire may run still, or no host be there: `start_hooks` tries again. A hook never misses a fire.
std::optional<elastic::item_write> job_coordination::start_hook(const fire_key& fire,
                                                                const elastic::fire_action::start_hook& what, job_moment at) {
  std::optional<elastic::item_write> out;
  auto& one = items_.add(what.hook);
  if (one.state.state != elastic::item_state::idle)
    return out;
  choice_.host = what.host;
  built_.hook = &out;
  apply(what.hook, elastic::event::fired{fire}, at);
  built_.hook = nullptr;
  choice_.host.reset();
  return out;
}

void job_coordination::start_hooks(job_moment at) {
  if (is_idle_now())
    return;
  for (std::size_t i = 0; i < once_.barriers.size(); ++i) {
    const auto fire = once_.barriers[i].first;
    const auto hook = once_.barriers[i].second.hook();
    if (!hook)
      continue;
    const auto& one = items_.add(*hook);
    if (one.state.state != elastic::item_state::idle || one.writes != 0)
      continue;
    choice_.host = once_.barriers[i].second.hook_host();
    apply(*hook, elastic::event::fired{fire}, at);
    choice_.host.reset();
  }
}

void job_coordination::release_all(const fire_key& fire) {
  for (const auto which : busy_)
    if (core::number(which) >= 0 && items_.at(which).state.cause.fire == fire)
      send_go(which);
}

// A run that cannot be reached arrives again when its host is back.
void job_coordination::send_go(item_number which) {
  const auto* found = items_.find(which);
  if (found == nullptr)
    return;
  const auto& one = found->state;
  if (one.state == elastic::item_state::sent || one.state == elastic::item_state::running
      || one.state == elastic::item_state::cancelling)
    mail_.order(one.host, {one.run, one.fence, elastic::item_order::go});
}

void job_coordination::pass_barrier_time(job_moment at) {
  std::vector<fire_key> due;
  for (const auto& [fire, machine] : once_.barriers)
    if (const auto when = machine.due_at(); when && *when <= at.now)
      due.push_back(fire);
  for (const auto& fire : due) {
    const auto* machine = barrier_of(fire);
    if (machine == nullptr)
      continue;
    const auto hook = machine->hook();
    tell_barrier(fire, elastic::fire_event::time_passed{}, at);
    if (!hook)
      continue;
    // A hook that still waits for a host would begin too late.
    const auto* found = items_.find(*hook);
    if (found != nullptr && found->state.state == elastic::item_state::wanted &&
        found->state.cause.fire == fire)
      apply(*hook, elastic::event::cancelled{}, at);
  }
}

// Items that a fire waits for: those whose run belongs to it, and those that have ended theirs. Items without a host are not
// waited for before the items: a takeover joins, as does a compensation once it is granted.
void job_coordination::restore_barriers(const elastic::adopted_job& stored, job_moment at) {
  std::vector<fire_key> hooks_over;
  for (std::size_t i = 0; i < stored.fires.size(); ++i) {
    const auto& row = stored.fires[i];
    const auto& over = i < stored.ended.size() ? stored.ended[i] : std::vector<item_number>{};
    std::vector<item_number> ended;
    std::copy_if(over.begin(), over.end(), std::back_inserter(ended), [](item_number each) { return !is_hook(each); });
    const std::set<item_number> are_over{over.begin(), over.end()};
    auto expected = ended;
    std::vector<item_number> waiting;
    for (const auto which : busy_) {
      const auto& one = items_.at(which).state;
      if (is_hook(which) || one.cause.fire != row.key || are_over.contains(which))
        continue;
      if (elastic::is_open(one.state))
        expected.push_back(which);
      else if (one.cause.source != elastic::run_source::misfire)
        waiting.push_back(which);
    }
    auto& machine =
      once_.barriers.emplace_back(row.key, elastic::fire_machine::restore(row.state, expected, ended, limits(), at.now)).second;
    for (const auto which : waiting)
      static_cast<void>(machine.apply(elastic::fire_event::joined{which}, at.now));
    // Its run has ended, and the step after it was not stored.
    if (const auto hook = machine.hook(); hook && are_over.contains(*hook) && !busy_.contains(*hook))
      hooks_over.push_back(row.key);
  }
  for (const auto& row : stored.fires)
    tell_barrier(row.key, elastic::fire_event::restored{}, at);
  for (const auto& fire : hooks_over)
    if (const auto* machine = barrier_of(fire))
      tell_barrier(fire, elastic::fire_event::hook_ended{*machine->hook()}, at);
}

} // namespace ringmaster::actors
