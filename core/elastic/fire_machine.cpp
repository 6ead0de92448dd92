#include "core/elastic/fire_machine.hpp"

#include <algorithm>

#include "core/elastic/plan.hpp"

namespace ringmaster::core::elastic {

namespace {

milliseconds barrier_limit_of(milliseconds time_out) { return time_out > milliseconds{0} ? time_out : barrier_limit; }

} // namespace

std::vector<item_number> expected_items(std::span<const fire_part> planned) {
  std::vector<item_number> out;
  for (const auto& each : planned)
    if (!each.disabled && !each.unassigned && !each.missed)
      out.push_back(each.item);
  return out;
}

fire_state initial_state(std::size_t expected, bool has_once_listeners) noexcept {
  if (expected == 0)
    return fire_state::done;
  return has_once_listeners ? fire_state::gathering : fire_state::open;
}

/// One event of a fire: changes the fire and collects the actions.
class fire_step {
public:
  fire_step(fire_machine& fire, steady_time now, fire_decision& out) : fire_{fire}, now_{now}, out_{out} {}

  void operator()(const fire_event::arrived& what) {
    const auto place = fire_.part_of(what.item);
    // Too late for the barrier, or the first order was lost with a link: nothing may hold without an end.
    if (!fire_.holds() && place != part::ended)
      return add(fire_action::release_one{what.item});
    if (place != part::expected && place != part::joined)
      return stale();
    fire_.set(what.item, part::arrived);
    fire_.arrivals_.emplace_back(what.item, what.host);
    if (!fire_.started_due_)
      fire_.started_due_ = now_ + barrier_limit_of(fire_.limits_.started);
    look();
  }

  void operator()(const fire_event::ended& what) {
    if (!is_awaited(what.item))
      return stale();
    fire_.set(what.item, part::ended);
    fire_.last_end_ = what.host;
    if (!fire_.completed_due_)
      fire_.completed_due_ = now_ + barrier_limit_of(fire_.limits_.completed);
    look();
  }

  void operator()(const fire_event::lost& what) {
    if (!is_awaited(what.item))
      return stale();
    fire_.set(what.item, !what.taken_over ? part::none : what.waits ? part::joined : part::expected);
    look();
  }

  void operator()(const fire_event::joined& what) {
    if (!fire_.may_join() || is_awaited(what.item))
      return stale();
    fire_.set(what.item, part::joined);
  }

  void operator()(const fire_event::restored&) { look(); }

  void operator()(const fire_event::hook_ended& what) {
    if (what.hook == before_hook_item && fire_.state_ == fire_state::before_hook)
      return release();
    if (what.hook == after_hook_item && fire_.state_ == fire_state::after_hook)
      return go_to(fire_state::done);
    stale();
  }

  void operator()(const fire_event::time_passed&) {
    if (const auto due = fire_.due_at(); !due || *due > now_)
      return stale();
    switch (fire_.state_) {
    case fire_state::gathering: add(fire_action::report_timeout{true}); return release();
    case fire_state::before_hook: return release();
    case fire_state::released: add(fire_action::report_timeout{false}); return go_to(fire_state::done);
    case fire_state::after_hook: return go_to(fire_state::done);
    default: return;
    }
  }

private:
  using part = fire_machine::part;

  template <class Action>
  void add(Action what) {
    out_.actions.emplace_back(std::move(what));
  }
  void stale() { out_.outcome = fire_decision::kind::stale; }

  void go_to(fire_state next) {
    add(fire_action::write_state{fire_.state_, next});
    fire_.state_ = next;
  }

  void release() {
    go_to(fire_state::released);
    add(fire_action::release_all{});
    look();
  }

  [[nodiscard]] bool is_awaited(item_number item) const {
    const auto place = fire_.part_of(item);
    return place != part::none && place != part::ended;
  }

  /// Leaves the state once its barrier is complete. Without an arrival, or without an end, there is no host for a hook: all
  /// participants were lost.
  void look() {
    if (fire_.missing() > 0)
      return;
    if (fire_.state_ == fire_state::gathering) {
      if (fire_.count(part::arrived) == 0) {
        if (fire_.count(part::joined) == 0)
          go_to(fire_state::done);
        return;
      }
      go_to(fire_state::before_hook);
      add(fire_action::start_hook{before_hook_item, fire_.hook_host()});
    } else if (fire_.state_ == fire_state::released) {
      if (fire_.count(part::ended) == 0)
        return go_to(fire_state::done);
      go_to(fire_state::after_hook);
      add(fire_action::start_hook{after_hook_item, fire_.last_end_});
    }
  }

  fire_machine& fire_;
  steady_time now_;
  fire_decision& out_;
};

fire_machine::fire_machine(std::span<const item_number> expected, barrier_limits limits) : limits_{limits} {
  for (const auto each : expected)
    set(each, part::expected);
}

fire_machine fire_machine::restore(fire_state state, std::span<const item_number> expected, std::span<const item_number> ended,
                                   barrier_limits limits, steady_time now) {
  fire_machine out{expected, limits};
  out.state_ = state;
  for (const auto each : ended)
    if (out.part_of(each) == part::expected)
      out.set(each, part::ended);
  out.started_due_ = now + barrier_limit_of(limits.started);
  out.completed_due_ = now + barrier_limit_of(limits.completed);
  return out;
}

fire_machine::part fire_machine::part_of(item_number item) const noexcept {
  const auto index = static_cast<std::size_t>(number(item));
  return number(item) >= 0 && index < parts_.size() ? parts_[index] : part::none;
}

void fire_machine::set(item_number item, part stage) {
  const auto index = static_cast<std::size_t>(number(item));
  if (number(item) < 0 || number(item) >= items_max) // items beyond the limit belong to no fire
    return;
  if (index >= parts_.size())
    parts_.resize(index + 1, part::none);
  if (const auto before = parts_[index]; before != part::none)
    --counts_[static_cast<std::size_t>(before)];
  if (stage != part::none)
    ++counts_[static_cast<std::size_t>(stage)];
  parts_[index] = stage;
}

fire_decision fire_machine::apply(const fire_machine_event& what, steady_time now) {
  fire_decision out;
  std::visit(fire_step{*this, now, out}, what);
  return out;
}

std::optional<steady_time> fire_machine::due_at() const noexcept {
  if (holds())
    return started_due_;
  return state_ == fire_state::released || state_ == fire_state::after_hook ? completed_due_ : std::nullopt;
}

std::optional<item_number> fire_machine::hook() const noexcept {
  if (state_ == fire_state::before_hook)
    return before_hook_item;
  return state_ == fire_state::after_hook ? std::optional{after_hook_item} : std::nullopt;
}

host_process fire_machine::hook_host() const noexcept {
  if (state_ != fire_state::before_hook)
    return last_end_;
  const auto found =
    std::find_if(arrivals_.rbegin(), arrivals_.rend(), [this](const auto& each) { return part_of(each.first) == part::arrived; });
  return found == arrivals_.rend() ? host_process{} : found->second;
}

std::size_t fire_machine::missing() const noexcept {
  const auto to_arrive = count(part::expected);
  return holds() ? to_arrive : to_arrive + count(part::joined) + count(part::arrived);
}

} // namespace ringmaster::core::elastic
