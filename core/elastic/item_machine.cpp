#include "core/elastic/item_machine.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/item_step.hpp"

namespace ringmaster::core::elastic {

namespace {

bool changes_row(const item_action& what) {
  const auto* miss = std::get_if<action::write_miss>(&what);
  return std::holds_alternative<action::write_grant>(what) || std::holds_alternative<action::write_end>(what)
         || std::holds_alternative<action::write_loss>(what) || std::holds_alternative<action::write_wait_end>(what)
         || (miss != nullptr && miss->wanted);
}

/// Handlers of the rows of the table, one per event.
class item_handlers {
  using enum item_state;

public:
  item_handlers(item& one, const item_scene& scene, item_decision& out) : one_{one}, scene_{scene}, step_{one, scene, out} {}

  void operator()(const event::fired& what) {
    // An earlier transaction may have given the item a run for this instant, although the fire itself lost against an edit (I4).
    const bool is_served = is_open(one_.state) && number(one_.cause.fire.request) == 0 && one_.cause.fire.at == what.key.at;
    if (is_served)
      return;
    if (one_.state != idle)
      return step_.miss(what.key);
    if (step_.is_off())
      return;
    step_.begin_wait({what.key.source, what.key}, 1);
    if (auto grant = step_.grant_wanted())
      return step_.add(action::write_grant{std::move(*grant)});
    step_.miss_idle(what.key);
  }

  void operator()(const event::requested& what) {
    const auto drop = [&](request_drop why) { step_.add(action::drop_request{what.key.request, why}); };
    if (step_.is_off())
      return drop(request_drop::disabled);
    if (what.keep_until <= scene_.now)
      return drop(request_drop::expired);
    if (one_.state != idle) {
      if (what.policy == request_policy::discard)
        return drop(request_drop::busy);
      if (what.policy == request_policy::coalesce && !one_.queue.empty())
        return drop(request_drop::coalesced);
      if (one_.queue.size() >= item_queue_max)
        return drop(request_drop::queue_full);
    }
    one_.queue.push_back({what.key, what.keep_until});
    if (one_.state == idle)
      if (auto after = step_.next(); after.grant)
        step_.add(action::write_grant{std::move(*after.grant)});
  }

  void operator()(const event::host_freed&) {
    if (one_.state != wanted)
      return step_.impossible();
    if (one_.due && *one_.due <= scene_.now)
      return waited();
    if (auto grant = step_.grant_wanted())
      step_.add(action::write_grant{std::move(*grant)});
  }

  void operator()(const event::grant_stored& what) {
    if (one_.state != granting)
      return step_.impossible();
    one_.fence = next_fence(one_.fence);
    one_.run = what.run;
    if (one_.leaving)
      return leave();
    // The grant has not left yet: what ended it meanwhile needs no word with the host.
    if (one_.host_dead)
      return step_.lose(loss_proof::never_sent);
    if (one_.cancel == cancel_reason::asked || one_.cancel == cancel_reason::timed_out)
      return step_.end(item_run_end::killed);
    if (one_.cancel == cancel_reason::moved)
      return step_.lose(loss_proof::never_sent);
    if (one_.host_away) {
      one_.state = unreachable;
      one_.sent_at = {}; // the host cannot have it: any inventory proves that
      return step_.add(action::ask_inventory{one_.host});
    }
    send_grant();
  }

  void operator()(const event::fenced&) { step_.add(action::stop_coordinating{}); }

  void operator()(const event::guard_lost&) {
    if (one_.leaving)
      return step_.add(action::forget_item{});
    step_.add(action::reread_item{one_.writes});
  }

  void operator()(const event::row_read& what) {
    if (what.writes != one_.writes)
      return step_.add(action::reread_item{one_.writes});
    const auto& row = what.row;
    one_.disabled = row.disabled;
    one_.surplus = row.surplus;
    const bool row_open = row.state == stored_item_state::open;
    if (one_.state == granting && row_open && row.fence == next_fence(one_.fence))
      return (*this)(event::grant_stored{row.run});
    const bool open = is_open(one_.state) && one_.state != granting;
    if (row.fence != one_.fence || row_open != open || (one_.state == idle && row.state != stored_item_state::idle))
      return step_.adopt(row);
    if (one_.state == granting)
      return step_.retry(row.state);
    if (one_.state == wanted && step_.is_off()) {
      step_.end_wait();
      step_.end_surplus();
    }
  }

  void operator()(const event::accepted& what) { taken(what.host, what.run, what.fence, false); }
  void operator()(const event::started& what) { taken(what.host, what.run, what.fence, true); }

  void operator()(const event::refused& what) {
    if (one_.state == granting && what.fence == next_fence(one_.fence))
      return step_.impossible();
    if (!is_mine(what.run, what.fence))
      return step_.stale();
    if (!what.full)
      step_.avoid_host(what.lasting);
    step_.lose(item_step::loss::not_started, loss_proof::host_answered);
  }

  void operator()(const event::finished& what) {
    if (one_.state == granting && what.fence == next_fence(one_.fence))
      return step_.impossible();
    if (!is_mine(what.run, what.fence))
      return step_.add(action::count_gone{what.run, what.fence});
    if (what.outcome == host_outcome::yielded && (one_.cancel == cancel_reason::none || one_.cancel == cancel_reason::moved))
      return step_.end(item_run_end::finished, rest_of_stream());
    const bool is_moved = one_.cancel == cancel_reason::moved
                          || (one_.cancel == cancel_reason::none && what.leaving && what.outcome == host_outcome::cancelled);
    if (is_moved && what.outcome != host_outcome::success)
      return step_.lose(item_step::loss::moved, loss_proof::moved);
    if (one_.cancel_sent && one_.cancel != cancel_reason::moved)
      return step_.end(item_run_end::killed);
    switch (what.outcome) {
    case host_outcome::success:
    case host_outcome::yielded: return step_.end(item_run_end::finished);
    case host_outcome::error: return step_.end(item_run_end::error);
    case host_outcome::cancelled: return step_.end(item_run_end::killed);
    }
  }

  void operator()(const event::cancelled& what) {
    if (what.run && *what.run != (one_.state == granting ? item_run_id{} : one_.run))
      return step_.stale();
    switch (one_.state) {
    case idle: return step_.impossible();
    case wanted: step_.drop_waited(); return step_.end_wait();
    case granting:
    case unreachable: return note(what.why);
    case sent:
    case running: note(what.why); return step_.send_cancel();
    case cancelling: note(what.why); return step_.send_kill();
    }
  }

  void operator()(const event::time_passed&) {
    if (const auto due = due_at(one_); !due || *due > scene_.now)
      return step_.stale();
    step_.expire_requests();
    if (one_.state == wanted)
      waited();
    else if (one_.due && *one_.due <= scene_.now)
      reach_limit();
    // The pause after a refusal may have ended in another state.
    if (one_.state == idle && one_.avoided_until <= scene_.now)
      one_.avoided.clear();
  }

  void operator()(const event::link_lost& what) {
    if (away(what.host))
      one_.due.reset();
  }

  // A host that returned and fell silent again had its lease extended meanwhile.
  void operator()(const event::host_silent& what) {
    const auto lease_over = what.last_beat + one_.lease + lease_margin;
    if (one_.state == unreachable && one_.silent && what.host == one_.host) {
      // It was back meanwhile, without an inventory, and its lease was extended.
      if (one_.due && lease_over <= *one_.due)
        return step_.stale();
      one_.due = lease_over;
      return;
    }
    if (!away(what.host))
      return;
    one_.silent = true;
    one_.due = lease_over;
  }

  void operator()(const event::host_gone& what) {
    if (!is_open(one_.state))
      return step_.impossible();
    if (what.host != one_.host)
      return step_.stale();
    if (one_.state == granting)
      one_.host_dead = true;
    else
      step_.lose(loss_proof::process_ended);
  }

  void operator()(const event::run_present& what) {
    if (one_.state == granting && what.fence == next_fence(one_.fence))
      return step_.impossible();
    if (!is_mine(what.run, what.fence))
      return step_.add(action::send_order{what.host, what.run, what.fence, item_order::close});
    if (one_.state == cancelling && one_.kill_sent && !one_.kill_heard && what.asked_at != steady_time{})
      return step_.hear_after_kill(what.asked_at);
    step_.resume(what.started ? std::optional{one_.sent_at} : std::nullopt);
  }

  void operator()(const event::run_absent& what) {
    if (!is_open(one_.state) || one_.state == granting || what.host != one_.host)
      return step_.stale();
    // A grant that left after the question cannot be in the answer.
    if (what.asked_at <= one_.sent_at)
      return step_.add(action::ask_inventory{one_.host});
    // A host names all runs that it has begun, until the receipt of their end: a run that it does not name has never begun.
    step_.lose(what.fenced ? item_step::loss::died : item_step::loss::not_started, loss_proof::host_answered);
  }

  void operator()(const event::disabled_set& what) {
    one_.disabled = what.disabled;
    if (one_.disabled && one_.state == wanted)
      step_.end_wait();
  }

  void operator()(const event::surplus_set& what) {
    one_.surplus = what.surplus;
    if (!one_.surplus || is_open(one_.state))
      return;
    if (one_.state == wanted)
      step_.end_wait();
    step_.end_surplus();
  }

  void operator()(const event::misfire_off&) {
    const bool waits = one_.state == wanted && is_compensation(one_);
    step_.forget_miss(miss_change::cleared);
    if (waits)
      step_.end_wait();
  }

  void operator()(const event::failover_off&) {
    if (one_.state == wanted && one_.cause.source == run_source::failover)
      step_.end_wait();
  }

  void operator()(const event::stream_moved&) {
    if (one_.state == idle || one_.state == wanted || one_.state == cancelling)
      return step_.impossible();
    if (!std::exchange(one_.drain, true) && (one_.state == sent || one_.state == running))
      step_.order(item_order::drain);
  }

  void operator()(const event::job_off&) {
    step_.drop_owed();
    if (one_.state == wanted)
      step_.end_wait();
  }

  void operator()(const event::slot_released&) {
    if (one_.state == granting)
      one_.leaving = true;
    else
      step_.add(action::forget_item{});
  }

private:
  [[nodiscard]] bool is_mine(item_run_id run, fence_number fence) const { return holds(one_, run, fence); }

  /// A user's cancel wins over a move: the run is not repeated.
  void note(cancel_reason why) {
    if (one_.cancel == cancel_reason::none || why != cancel_reason::moved)
      one_.cancel = why;
  }

  /// Returns the run that goes on with a stream. It is no takeover, whose host would not be that of the plan.
  [[nodiscard]] item_step::again rest_of_stream() const {
    auto cause = one_.cause;
    if (cause.source == run_source::failover)
      cause.source = cause.fire.source;
    return {cause, one_.attempt};
  }

  void send_grant() {
    one_.state = sent;
    one_.sent_once = true;
    one_.sent_at = scene_.now;
    one_.due = scene_.now + grant_answer_limit;
    step_.add(action::send_grant{one_.host, one_.run, one_.fence});
    if (one_.drain)
      step_.order(item_order::drain);
  }

  /// The slot leaves: the node that adopts the item decides all that is left, but it does not know of a cancel.
  void leave() {
    if (!one_.host_dead && !one_.host_away) {
      send_grant();
      if (one_.cancel != cancel_reason::none)
        step_.send_cancel();
    }
    step_.add(action::forget_item{});
  }

  void taken(const host_process& host, item_run_id run, fence_number fence, bool has_started) {
    if (one_.state == granting && fence == next_fence(one_.fence))
      return step_.impossible();
    if (!is_mine(run, fence))
      return step_.add(action::send_order{host, run, fence, item_order::close});
    one_.refusals = 0;
    one_.avoided.clear();
    step_.resume(has_started ? std::optional{scene_.now} : std::nullopt);
  }

  /// Notes that the host cannot be reached. Returns false if that is no event of this item.
  bool away(const host_process& host) {
    if (!is_open(one_.state)) {
      step_.impossible();
      return false;
    }
    if (host != one_.host || (one_.state == unreachable && one_.silent)) {
      step_.stale();
      return false;
    }
    if (one_.state == granting)
      one_.host_away = true;
    else
      one_.state = unreachable;
    return true;
  }

  /// Ends the wait of an open run for its host or for its end.
  void reach_limit() {
    switch (one_.state) {
    case sent:
      one_.due = scene_.now + grant_answer_limit;
      return step_.add(action::ask_inventory{one_.host});
    case running: note(cancel_reason::timed_out); return step_.send_cancel();
    case cancelling: return step_.end_grace();
    case unreachable: return step_.lose(loss_proof::lease_over);
    default: return;
    }
  }

  /// A wanted item: its wait is over, the alarm is due, or a host's pause after a refusal has ended.
  void waited() {
    if (one_.due && *one_.due <= scene_.now) {
      step_.forget_miss(miss_change::expired);
      return step_.end_wait();
    }
    if (step_.request_has_gone())
      return step_.end_wait();
    if (!one_.avoided.empty() && one_.avoided_until <= scene_.now) {
      if (auto grant = step_.grant_wanted())
        return step_.add(action::write_grant{std::move(*grant)});
    }
    if (!one_.alarmed && one_.wanted_since + unowned_after <= scene_.now) {
      one_.alarmed = true;
      step_.add(action::raise_alarm{alarm_cause::waits});
    }
  }

  item& one_;
  const item_scene& scene_;
  item_step step_;
};

} // namespace

item_decision apply(item& one, const item_event& what, const item_scene& scene) {
  item_decision out;
  std::visit(item_handlers{one, scene, out}, what);
  if (std::any_of(out.actions.begin(), out.actions.end(), changes_row))
    ++one.writes;
  return out;
}

} // namespace ringmaster::core::elastic
