#include "core/elastic/barrier_event.hpp"

#include <algorithm>

namespace ringmaster::core::elastic {

namespace {

/// Handlers of the actions that end or begin a participant's run.
class barrier_effects {
public:
  barrier_effects(const item_before& before, std::vector<barrier_event>& out) : before_{before}, out_{out} {}

  void operator()(const action::write_end& what) { over(what.next, fire_event::ended{before_.item, before_.host}); }
  void operator()(const action::write_loss& what) { over(what.next, fire_event::lost{before_.item, false}); }
  void operator()(const action::write_wait_end& what) { over(what.next, fire_event::lost{before_.item, false}); }
  void operator()(const action::write_grant& what) { joins(what.grant); }
  void operator()(const action::write_miss& what) {
    // The grant for this fire was not stored, and no other host was free. Hooks are not missed: they are started again.
    const bool is_missed = what.change == miss_change::marked || what.change == miss_change::dropped;
    if (before_.had_no_run && !is_hook() && is_missed && what.fire == before_.cause.fire)
      add(fire_event::lost{before_.item, false});
  }
  void operator()(const auto&) {}

private:
  [[nodiscard]] bool is_hook() const { return number(before_.item) < 0; }

  /// Returns true if the coming run is for the same fire: a takeover, a refused run, the rest of a stream.
  [[nodiscard]] bool is_repeated(const item_next& next) const {
    return number(next.kept_run) != 0 || (next.grant && next.grant->cause.fire == before_.cause.fire);
  }
  void add(fire_machine_event what) { out_.push_back({before_.cause.fire, what}); }
  /// Reports the end of a run or of a wait.
  void over(const item_next& next, fire_machine_event end) {
    if (is_repeated(next))
      return add(fire_event::lost{before_.item, true, !next.grant});
    add(is_hook() ? fire_machine_event{fire_event::hook_ended{before_.item}} : end);
    if (next.grant)
      joins(*next.grant);
  }
  /// A participant that is awaited already does not join twice: the fire finds that out.
  void joins(const item_grant& grant) {
    if (grant.cause.source == run_source::misfire)
      out_.push_back({grant.cause.fire, fire_event::joined{before_.item}});
  }

  const item_before& before_;
  std::vector<barrier_event>& out_;
};

bool writes_item(const item_action& what) {
  return std::holds_alternative<action::write_grant>(what) || std::holds_alternative<action::write_end>(what)
         || std::holds_alternative<action::write_loss>(what) || std::holds_alternative<action::write_wait_end>(what);
}

/// Adds the event of a request that waits again, because its grant was not stored, or that waits no longer.
void add_wait(const item_before& before, const item_decision& decision, const item& after, std::vector<barrier_event>& out) {
  const bool is_request = before.had_no_run && before.cause.source == run_source::manual && number(before.item) >= 0;
  if (!is_request || std::any_of(decision.actions.begin(), decision.actions.end(), writes_item))
    return;
  const bool is_same = after.state != item_state::idle && after.cause.fire == before.cause.fire;
  if (!is_same || after.state == item_state::wanted)
    out.push_back({before.cause.fire, fire_event::lost{before.item, is_same, is_same}});
}

} // namespace

std::vector<barrier_event> barrier_events(const item_before& before, const item_decision& decision,
                                          const item& after) {
  std::vector<barrier_event> out;
  for (const auto& each : decision.actions)
    std::visit(barrier_effects{before, out}, each);
  add_wait(before, decision, after, out);
  return out;
}

} // namespace ringmaster::core::elastic
