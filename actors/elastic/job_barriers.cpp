// job_coordination: barriers of the once-listeners.

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

} // namespace

elastic::barrier_limits job_coordination::limits() const {
  return {job_->what.options.started_timeout, job_->what.options.completed_timeout};
}

elastic::fire_machine* job_coordination::barrier_of(const fire_key& fire) {
  const auto found = std::find_if(barriers_.begin(), barriers_.end(), [&](const auto& each) { return each.first == fire; });
  return found == barriers_.end() ? nullptr : &found->second;
}

void job_coordination::tell_barriers(const std::vector<elastic::barrier_event>& events, job_moment at) {
  if (!barriers_.empty())
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
  carry_out(fire, machine->apply(what, at.now), at);
}

void job_coordination::carry_out(const fire_key& fire, const elastic::fire_decision& decision, job_moment at) {
  namespace action = elastic::fire_action;
  std::optional<elastic::fire_step_write> step;
  op_note note{op_note::kind::step, {}, fire};
  const auto leave = [&] {
    if (step)
      emit(std::move(*step), std::exchange(note, {op_note::kind::step, {}, fire}));
    step.reset();
  };
  for (const auto& each : decision.actions) {
    if (const auto* state = std::get_if<action::write_state>(&each)) {
      leave();
      step = elastic::fire_step_write{who_.job, fire, state->from, state->to, std::nullopt};
    } else if (const auto* hook = std::get_if<action::start_hook>(&each); hook != nullptr && step) {
      step->hook = start_hook(fire, *hook, at);
      if (step->hook)
        note.items.push_back(hook->hook);
    } else if (std::holds_alternative<action::release_all>(each)) {
      note.releases = true;
    } else if (const auto* go = std::get_if<action::release_one>(&each)) {
      send_go(go->item);
    } else if (const auto* late = std::get_if<action::report_timeout>(&each)) {
      out_.problems.push_back(std::string{"the barrier "} + (late->before ? "before" : "after")
                              + " the items was not complete in time");
    }
  }
  leave();
  std::erase_if(barriers_, [&](const auto& barrier) { return barrier.first == fire && barrier.second.is_done(); });
}

// A hook without a free host waits for one as a missed fire of its item.
std::optional<elastic::item_write> job_coordination::start_hook(const fire_key& fire,
                                                                const elastic::fire_action::start_hook& what, job_moment at) {
  std::optional<elastic::item_write> out;
  items_.try_emplace(what.hook);
  if (what.host.host != elastic::no_host)
    choice_.host = what.host;
  built_.hook = &out;
  apply(what.hook, elastic::event::fired{fire}, at);
  built_.hook = nullptr;
  choice_.host.reset();
  return out;
}

void job_coordination::release_all(const fire_key& fire) {
  for (const auto which : busy_)
    if (core::number(which) >= 0 && items_.at(which).state.cause.fire == fire)
      send_go(which);
}

// A run that cannot be reached arrives again when its host is back.
void job_coordination::send_go(item_number which) {
  const auto found = items_.find(which);
  if (found == items_.end())
    return;
  const auto& one = found->second.state;
  if (one.state == elastic::item_state::sent || one.state == elastic::item_state::running
      || one.state == elastic::item_state::cancelling)
    mail_.order(one.host, {one.run, one.fence, elastic::item_order::go});
}

void job_coordination::pass_barrier_time(job_moment at) {
  std::vector<fire_key> due;
  for (const auto& [fire, machine] : barriers_)
    if (const auto when = machine.due_at(); when && *when <= at.now)
      due.push_back(fire);
  for (const auto& fire : due)
    tell_barrier(fire, elastic::fire_event::time_passed{}, at);
}

// Items that a fire waits for: those whose run or wait belongs to it, and those that have ended theirs.
void job_coordination::restore_barriers(const elastic::adopted_job& stored, job_moment at) {
  for (std::size_t i = 0; i < stored.fires.size(); ++i) {
    const auto& row = stored.fires[i];
    const auto ended = i < stored.ended.size() ? stored.ended[i] : std::vector<item_number>{};
    const std::set<item_number> are_over{ended.begin(), ended.end()};
    auto expected = ended;
    for (const auto which : busy_)
      if (core::number(which) >= 0 && items_.at(which).state.cause.fire == row.key
          && !are_over.contains(which))
        expected.push_back(which);
    barriers_.emplace_back(row.key, elastic::fire_machine::restore(row.state, expected, ended, limits(), at.now));
  }
  for (const auto& row : stored.fires)
    tell_barrier(row.key, elastic::fire_event::restored{}, at);
}

} // namespace ringmaster::actors
