// job_coordination: items, their actions and writes.

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

protocol::elastic_run_order run_order(const elastic::action::send_order& what) { return {what.run, what.fence, what.order}; }

constexpr std::string_view waiting_line = "items have waited for a host, or for a free slot, for 30 s, first item ";

/// Returns whether a run ends of which its host has said nothing: it never left, was lost, or was not stored. Its slot counted
/// as taken, and no heartbeat corrects that, because nothing changed there. `before`, `fence`: of the item before the event.
bool ends_unheard(elastic::item_state before, elastic::fence_number fence, const elastic::item& after,
                  const elastic::item_event& what, const elastic::item_decision& decision) {
  namespace action = elastic::action;
  const bool is_read = std::holds_alternative<elastic::event::row_read>(what);
  const auto has = [&]<class Action>(std::in_place_type_t<Action>) {
    return std::any_of(decision.actions.begin(), decision.actions.end(),
                       [](const auto& each) { return std::holds_alternative<Action>(each); });
  };
  if (is_read && before == elastic::item_state::granting && !has(std::in_place_type<action::reread_item>)
      && after.fence != elastic::next_fence(fence))
    return true;
  if (has(std::in_place_type<action::write_loss>))
    return !std::holds_alternative<elastic::event::refused>(what);
  return (is_read || std::holds_alternative<elastic::event::grant_stored>(what)) && has(std::in_place_type<action::write_end>);
}

/// Returns whether a run ends without its body, which goes on.
bool takes_item_away(const elastic::item_decision& decision) {
  return std::any_of(decision.actions.begin(), decision.actions.end(), [](const auto& each) {
    return std::holds_alternative<elastic::action::taint_host>(each);
  });
}

} // namespace

elastic::item_decision::kind job_coordination::apply(item_number which, const elastic::item_event& what, job_moment at,
                                                     elastic::run_report report) {
  auto& one = items_.at(which);
  const elastic::item_before before{which, one.state.host, one.state.cause,
                                    one.state.state == elastic::item_state::granting
                                      || one.state.state == elastic::item_state::wanted};
  const auto was = one.state.state;
  const auto fence = one.state.fence;
  const bool was_late = one.state.cancel == elastic::cancel_reason::timed_out;
  choice_.item = which;
  choice_.is_full = false;
  count_run(one.state, false);
  const auto decision = elastic::apply(one.state, what, scene(which, at));
  count_run(one.state, true);
  if (ends_unheard(was, fence, one.state, what, decision)) {
    if (core::number(which) >= 0)
      hosts_.free(before.host.host);
    slot_freed_ = true;
  }
  if (decision.outcome == elastic::item_decision::kind::impossible)
    out_.problems.push_back("item " + std::to_string(core::number(which)) + ": event " + std::to_string(what.index())
                            + " in state " + std::to_string(static_cast<int>(one.state.state)));
  bool forgotten = false;
  if (takes_item_away(decision))
    report.message = (was_late ? time_limit_text() + ", and " : std::string{}) + "its body ignored cancel and kill";
  for (const auto& each : decision.actions) {
    std::visit([&](const auto& action) { act(which, one, action, report); }, each);
    note_action(before, one, each, at);
    note_error(before, was_late, each, at);
    forgotten = forgotten || std::holds_alternative<elastic::action::forget_item>(each);
  }
  // A mark that was cleared without another write.
  if (one.stored_missed && !one.state.missed && one.state.state != elastic::item_state::granting)
    write(which, one, elastic::write_mark{false, false});
  if (one.state.state == elastic::item_state::idle || forgotten)
    busy_.erase(which);
  else
    busy_.insert(which);
  count_item(which, one, forgotten);
  keep_due(which, one);
  const auto effects = elastic::barrier_events(before, decision, one.state);
  if (forgotten && one.writes == 0) {
    dues_.erase({one.due.value_or(steady_time{}), which});
    items_.erase(which);
  }
  tell_barriers(effects, at);
  return decision.outcome;
}

void job_coordination::apply_to_runs_on(const host_process& host, const elastic::item_event& what, job_moment at) {
  for (const auto which : busy_items())
    if (const auto* found = items_.find(which);
        found != nullptr && elastic::is_open(found->state.state) && found->state.host == host)
      apply(which, what, at);
}

// -- actions ---------------------------------------------------------------------------------------------------------------

template <class Action>
void job_coordination::act(item_number which, job_item& one, const Action& what, elastic::run_report& report) {
  namespace action = elastic::action;
  if constexpr (std::is_same_v<Action, action::write_grant>) {
    if (built_.fire != nullptr)
      built_.granted.push_back(which);
    write(which, one, what.grant);
  } else if constexpr (std::is_same_v<Action, action::write_end> || std::is_same_v<Action, action::write_loss>) {
    slot_freed_ = true;
    report.started = std::exchange(one.started, {});
    one.has_program = false;
    write(which, one, what, std::move(report));
  } else if constexpr (std::is_same_v<Action, action::write_wait_end> || std::is_same_v<Action, action::delete_item>) {
    write(which, one, what);
  } else if constexpr (std::is_same_v<Action, action::write_miss>) {
    if (what.change == elastic::miss_change::marked)
      write(which, one, elastic::write_mark{true, what.wanted});
    else if (what.change == elastic::miss_change::dropped && built_.fire != nullptr && !built_.fire->fires.empty())
      ++built_.fire->fires.back().dropped;
  } else if constexpr (std::is_same_v<Action, action::send_grant>) {
    send_grant(which, one, what);
  } else if constexpr (std::is_same_v<Action, action::send_order>) {
    if (what.order == elastic::item_order::close)
      close({what.host, run_order(what)}, &one);
    else
      mail_.order(what.host, run_order(what));
  } else if constexpr (std::is_same_v<Action, action::ask_inventory>) {
    ask(what.host);
  } else if constexpr (std::is_same_v<Action, action::drop_request>) {
    if (what.request == requests_.starting)
      ++requests_.dropped;
    else
      drop_request(which, what.request);
  } else if constexpr (std::is_same_v<Action, action::raise_alarm>) {
    // Thousands of items may have waited since the same fire.
    if (out_.problems.empty() || !out_.problems.back().starts_with(waiting_line))
      out_.problems.push_back(std::string{waiting_line} + std::to_string(core::number(which)));
  } else if constexpr (std::is_same_v<Action, action::taint_host>) {
    out_.problems.push_back("host " + std::to_string(core::number(what.host.host))
                            + " has a body that ignored cancel and kill, of item " + std::to_string(core::number(which)));
  } else if constexpr (std::is_same_v<Action, action::reread_item>) {
    rows_.wanted.try_emplace(which);
  } else if constexpr (std::is_same_v<Action, action::stop_coordinating>) {
    phase_.ended = true;
  }
}

void job_coordination::write(item_number which, job_item& one, elastic::item_change what, elastic::run_report report) {
  elastic::item_write out{who_.job, which, std::move(what), std::nullopt, std::move(report)};
  if (const auto* mark = std::get_if<elastic::write_mark>(&out.what)) {
    one.stored_missed = mark->missed;
  } else if (one.state.missed != one.stored_missed) {
    out.missed = one.stored_missed = one.state.missed;
  }
  note_alarm(out);
  ++one.writes;
  if (built_.hook != nullptr && std::holds_alternative<elastic::item_grant>(out.what)) {
    *built_.hook = std::move(out);
    return;
  }
  if (built_.fire != nullptr) {
    built_.fire->items.push_back(std::move(out));
    return;
  }
  op_note note{op_note::kind::item, {which}};
  note.loses = std::holds_alternative<elastic::action::write_loss>(out.what);
  emit(std::move(out), std::move(note));
}

void job_coordination::emit(elastic::elastic_op op, op_note note) { writes_.next.emplace_back(std::move(op), std::move(note)); }

void job_coordination::send_grant(item_number which, const job_item& one, const elastic::action::send_grant& what) {
  const auto& host = what.host;
  auto& known = specs_.sent[core::number(host.host)];
  if (known != std::pair{core::number(host.incarnation), job_->version}) {
    known = {core::number(host.incarnation), job_->version};
    mail_.specs(host, spec());
  }
  const auto& cause = one.state.cause;
  const auto cursor = cursors_.find(which);
  const auto* barrier = core::number(which) < 0 ? nullptr : barrier_of(cause.fire);
  mail_.grant(host, job_->version, param_of(cause.fire),
              {which, what.run, what.fence, cause.source, one.state.attempt, cause.fire.at, cause.fire.source, cause.fire.request,
               one.state.lease, cursor == cursors_.end() ? std::nullopt : cursor->second.value,
               barrier != nullptr && barrier->holds()});
}

void job_coordination::count_run(const elastic::item& one, bool is_there) {
  if (!elastic::is_open(one.state))
    return;
  auto& count = runs_on_[core::number(one.host.host)];
  count = is_there ? count + 1 : count - std::min<std::size_t>(count, 1);
}

void job_coordination::keep_due(item_number which, job_item& one) {
  const auto due = elastic::due_at(one.state);
  if (due == one.due)
    return;
  if (one.due)
    dues_.erase({*one.due, which});
  if (due)
    dues_.insert({*due, which});
  one.due = due;
}

void job_coordination::leave_after_writes(job_item& one) {
  const bool lost = std::exchange(one.lost_guard, false);
  for (const auto& each : std::exchange(one.after_writes, {}))
    if (const auto* part = std::get_if<receipt_part>(&each))
      receive(*part, !lost);
    else if (const auto& order = std::get<close_order>(each); !lost)
      mail_.order(order.host, order.order);
}

// -- hosts of items --------------------------------------------------------------------------------------------------------

std::optional<elastic::host_process> job_coordination::choose(const elastic::run_cause& cause,
                                                              std::span<const host_process> except) {
  choice_.is_full = false;
  if (!phase_.sendable || phase_.releasing)
    return std::nullopt;
  const auto runs = [this](elastic::host_number host) {
    const auto found = runs_on_.find(core::number(host));
    return found != runs_on_.end() && found->second > 0;
  };
  if (core::number(choice_.item) < 0)
    return hosts_.choose_for_hook(choice_.host, except);
  const bool takes_over = cause.source == elastic::run_source::failover;
  const auto owner = plan_.plan ? plan_.plan->owner_of(core::number(choice_.item)).host : elastic::no_host;
  // A stream that begins elsewhere would have to move to the planned host at once.
  if (owner != elastic::no_host && (!takes_over || job_->what.options.streaming))
    if (auto host = hosts_.take(owner, except))
      return host;
  if (takes_over || is_refused_by(owner, except)) {
    auto host = hosts_.take_best(except, runs);
    if (!host)
      choice_.is_full = hosts_.await_any(except);
    return host;
  }
  choice_.is_full = owner != elastic::no_host && hosts_.await(owner);
  return std::nullopt;
}

// Until the plan changes, the item would wait for a host that does not take it.
bool job_coordination::is_refused_by(elastic::host_number owner, std::span<const host_process> except) const {
  const auto& options = job_->what.options;
  return !options.is_static && !options.streaming
         && std::any_of(except.begin(), except.end(), [owner](const host_process& each) { return each.host == owner; });
}

// The item that has waited longest is first.
void job_coordination::offer(job_moment at) {
  std::vector<std::pair<steady_time, item_number>> waiting;
  for (const auto which : busy_)
    if (const auto& one = items_.at(which).state; one.state == elastic::item_state::wanted)
      waiting.emplace_back(one.wanted_since, which);
  std::sort(waiting.begin(), waiting.end());
  for (const auto& [since, which] : waiting)
    apply(which, elastic::event::host_freed{}, at);
}

} // namespace ringmaster::actors
