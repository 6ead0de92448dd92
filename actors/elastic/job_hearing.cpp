// job_coordination: events and inventories of hosts.

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using event_kind = protocol::elastic_event_kind;

/// Returns whether the host would refuse the same item again.
bool is_lasting(protocol::elastic_refusal why) {
  using enum protocol::elastic_refusal;
  return why == busy || why == unknown_handler || why == unknown_pool || why == unknown_error_handler || why == unknown_listener;
}

} // namespace

void job_coordination::note_lack(const host_process& host, protocol::elastic_refusal why) {
  using enum protocol::elastic_refusal;
  const auto& options = job_->what.options;
  std::string lack;
  if (why == unknown_pool)
    lack = "pool \"" + options.pool + '"';
  else if (why == unknown_error_handler)
    lack = "error handler \"" + options.error_handler + '"';
  else if (why == unknown_listener)
    lack = "listener of \"" + options.listeners + (options.listeners.empty() || options.once_listeners.empty() ? "" : ",")
           + options.once_listeners + '"';
  if (!lack.empty() && std::exchange(specs_.lacks[core::number(host.host)], lack) != lack)
    out_.problems.push_back("host " + std::to_string(core::number(host.host)) + " refuses items: it has no " + lack);
}

void job_coordination::hear(const protocol::host_events& what, job_moment at) {
  if (is_idle_now()) {
    if (!what.events.empty())
      receive({what.host, what.link_number, what.batch}, false, what.events.size());
    return;
  }
  for (const auto& each : what.events)
    hear_event(what, each, at, hosts_.is_leaving(what.host.host));
  if (what.inventory)
    hear_inventory(what.host, *what.inventory, at);
  settle(at);
}

void job_coordination::receive(const receipt_part& part, bool stored, std::size_t events) {
  if (part.batch == 0)
    return;
  const auto known = std::find_if(out_.done.begin(), out_.done.end(), [&](const protocol::host_events_done& each) {
    return each.host == part.host && each.link_number == part.link_number && each.batch == part.batch && each.stored == stored;
  });
  if (known != out_.done.end())
    known->events += events;
  else
    out_.done.push_back({part.host, part.link_number, part.batch, events, stored, who_.life});
}

void job_coordination::close(const close_order& what, job_item* one) {
  if (one != nullptr && one->writes != 0)
    one->after_writes.emplace_back(what);
  else
    mail_.order(what.host, what.order);
}

void job_coordination::hear_event(const protocol::host_events& from, const protocol::elastic_event& event, job_moment at,
                                  bool leaves) {
  const receipt_part part{from.host, from.link_number, from.batch};
  // A receipt says that a cursor is stored: a run that is over gets none, but the order to close.
  const bool may_be_void = event.kind != event_kind::cursor;
  auto* found = items_.find(event.item);
  if (found == nullptr) {
    // A result needs no order; a run that goes on does.
    if (event.kind != event_kind::finished && event.kind != event_kind::refused && event.kind != event_kind::fenced)
      close({from.host, {event.run, event.fence, elastic::item_order::close}}, nullptr);
    return receive(part, may_be_void);
  }
  // A run has one host: another one can neither end nor refuse it. A host that was replaced and entered again still has the
  // results of its former process.
  if (const auto& one = found->state; elastic::holds(one, event.run, event.fence) && one.host != from.host) {
    const bool is_former = one.host.host == from.host.host;
    if (is_former && event.kind == event_kind::started)
      found->started = event.at;
    if (!is_former || event.kind != event_kind::finished)
      return receive(part, may_be_void);
  }
  if (!take_event(from.host, event, *found, at, leaves))
    return receive(part, false);
  // An effect is durable once the writes of the item are.
  if (auto* again = items_.find(event.item); again != nullptr && again->writes != 0)
    again->after_writes.emplace_back(part);
  else
    receive(part, true);
}

// E8. An older value that comes again, perhaps over another link, waits for the newer one and must not replace it.
void job_coordination::keep_cursor(const protocol::elastic_event& event, job_item& one) {
  if (!event.cursor)
    return;
  auto& known = cursors_[event.item];
  if (known.run == event.run && known.number >= event.cursor_number)
    return;
  known.run = event.run;
  known.number = event.cursor_number;
  ++one.writes;
  op_note note{op_note::kind::item, {event.item}};
  note.cursor = event.cursor;
  emit(elastic::item_write{who_.job, event.item, elastic::write_cursor{event.fence, *event.cursor}}, std::move(note));
}

void job_coordination::settle_cursor(item_number which, std::optional<std::string>&& value, bool stored) {
  const auto known = cursors_.find(which);
  if (!value || known == cursors_.end())
    return;
  if (stored)
    known->second.value = std::move(value);
  else
    known->second.run = {}; // its host repeats it
}

bool job_coordination::take_event(const host_process& host, const protocol::elastic_event& event, job_item& one, job_moment at,
                                  bool leaves) {
  const bool mine = elastic::holds(one.state, event.run, event.fence);
  const bool is_hook = core::number(event.item) < 0;
  const auto taken = [&](const elastic::item_event& what, elastic::run_report report = {}) {
    return apply(event.item, what, at, std::move(report)) != elastic::item_decision::kind::impossible;
  };
  switch (event.kind) {
  case event_kind::accepted:
    return taken(elastic::event::accepted{host, event.run, event.fence});
  case event_kind::started:
    if (mine) {
      one.started = event.at;
      one.has_program = event.child_pid > 0;
    }
    return taken(elastic::event::started{host, event.run, event.fence});
  case event_kind::refused:
    if (mine) {
      out_.facts.emplace_back(fact::refusal{event.refusal});
      if (!is_hook) {
        hosts_.free(host.host);
        note_lack(host, event.refusal);
      }
      if (event.refusal == protocol::elastic_refusal::no_free_slot)
        hosts_.set_full(host.host);
      if (event.refusal == protocol::elastic_refusal::no_definition)
        specs_.sent.erase(core::number(host.host));
      // Hosts without once-listeners must not hold up the items indefinitely.
      if (is_hook && (event.refusal == protocol::elastic_refusal::unknown_handler ||
                      event.refusal == protocol::elastic_refusal::unknown_listener)) {
        out_.problems.push_back("a host has no once-listeners: the items go on without them");
        static_cast<void>(taken(elastic::event::cancelled{}));
      }
    }
    return taken(elastic::event::refused{event.run, event.fence, is_lasting(event.refusal),
                                         event.refusal == protocol::elastic_refusal::no_free_slot},
                 {{}, event.at, event.text});
  case event_kind::progress: return true;
  case event_kind::cursor:
    if (mine)
      keep_cursor(event, one);
    else if (one.state.state != elastic::item_state::granting || event.fence != elastic::next_fence(one.state.fence))
      close({host, {event.run, event.fence, elastic::item_order::close}}, &one);
    return mine;
  case event_kind::arrived: {
    const auto fire = one.state.cause.fire;
    const bool known = taken(elastic::event::accepted{host, event.run, event.fence});
    if (known && mine && !is_hook)
      tell_barrier(fire, elastic::fire_event::arrived{event.item, host}, at);
    return known;
  }
  case event_kind::finished: {
    auto text = event.text;
    if (mine) {
      if (!is_hook && one.state.host == host)
        hosts_.free(host.host);
      keep_cursor(event, one);
      if (one.state.cancel == elastic::cancel_reason::timed_out && event.outcome != elastic::host_outcome::success)
        text = time_limit_text() + (text.empty() ? "" : ": " + text);
    }
    return taken(elastic::event::finished{event.run, event.fence, event.outcome, !is_hook && leaves},
                 {{}, event.at, std::move(text)});
  }
  case event_kind::fenced: return !mine || taken(elastic::event::run_absent{host, at.now, true}, {{}, event.at, event.text});
  }
  return true;
}

// -- inventories -----------------------------------------------------------------------------------------------------------

void job_coordination::hear_inventory(const host_process& host, const protocol::elastic_inventory& part, job_moment at) {
  const auto found = inventories_.questions.find(part.question);
  if (found == inventories_.questions.end() || found->second.host != host)
    return;
  if (part.slot != who_.lease.slot || part.epoch != who_.lease.epoch)
    return;
  auto& runs = found->second.runs;
  runs.insert(runs.end(), part.runs.begin(), part.runs.end());
  if (!part.end)
    return;
  const auto asked = std::move(found->second);
  inventories_.questions.erase(found);
  compare_inventory(asked, at);
}

void job_coordination::compare_inventory(const question& asked, job_moment at) {
  std::set<item_number> present;
  for (const auto& run : asked.runs) {
    auto* found = items_.find(run.item);
    if (found == nullptr) {
      close({asked.host, {run.run, run.fence, elastic::item_order::close}}, nullptr);
      continue;
    }
    const bool mine = elastic::holds(found->state, run.run, run.fence);
    const auto fire = found->state.cause.fire;
    // An ended run keeps its result until the receipt: its event follows, and nothing is closed before. A run of the former
    // process of its host has no right, whatever its phase is: it ends by its result or by its lease.
    if (mine ? found->state.host != asked.host : run.phase == protocol::elastic_phase::ended)
      continue;
    const bool started = run.phase == protocol::elastic_phase::running || run.phase == protocol::elastic_phase::ended;
    const auto asked_at = run.phase == protocol::elastic_phase::ended ? steady_time{} : asked.asked_at;
    apply(run.item, elastic::event::run_present{asked.host, run.run, run.fence, started, asked_at}, at);
    if (!mine)
      continue;
    present.insert(run.item);
    if (run.phase == protocol::elastic_phase::holding && core::number(run.item) >= 0)
      tell_barrier(fire, elastic::fire_event::arrived{run.item, asked.host}, at);
  }
  for (const auto which : busy_items())
    if (auto* found = items_.find(which); found != nullptr && !present.contains(which)
                                               && elastic::is_open(found->state.state)
                                               && found->state.host == asked.host)
      apply(which, elastic::event::run_absent{asked.host, asked.asked_at}, at);
}

} // namespace ringmaster::actors
