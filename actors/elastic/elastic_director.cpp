#include "actors/elastic/elastic_director.hpp"

#include <algorithm>
#include <utility>

#include "actors/elastic/director_store.hpp"
#include "core/elastic/heard_result.hpp"

namespace ringmaster::actors {

namespace {

using namespace std::chrono_literals;

/// Outdated entries of the heap in excess of the number of jobs.
constexpr std::size_t stale_looks_max = 1024;

/// Returns the end of a run that an event reports; unset: the run goes on.
std::optional<core::elastic::heard_end> end_of(protocol::elastic_event_kind kind) {
  using enum protocol::elastic_event_kind;
  switch (kind) {
  case finished: return core::elastic::heard_end::finished;
  case refused: return core::elastic::heard_end::refused;
  case fenced: return core::elastic::heard_end::fenced;
  default: return std::nullopt;
  }
}

/// Moves the texts of the event. `leaves`: its host is about to end.
core::elastic::inbox_row inbox_row_of(protocol::elastic_event& event, bool leaves) {
  using core::elastic::heard_end;
  auto end = end_of(event.kind).value_or(heard_end::finished);
  if (leaves && end == heard_end::finished && event.outcome == core::elastic::host_outcome::cancelled)
    end = heard_end::cut_short;
  const core::elastic::heard_result result{end,
                                           event.outcome,
                                           event.at,
                                           std::move(event.text),
                                           std::move(event.cursor),
                                           event.cursor_number};
  return {event.run, event.fence, encode(result)};
}

} // namespace

elastic_director_state::elastic_director_state(protocol::elastic_director::pointer self, elastic_director_parts parts)
  : self_{self},
    parts_{std::move(parts)},
    tools_{std::make_shared<coordinator_tools>(
      coordinator_tools{{}, parts_.writer, {}, parts_.worker, std::make_shared<const core::elastic::strategy_registry>(),
                        std::make_shared<job_schedules>(parts_.where), parts_.clock, parts_.log,
                        elastic_metrics{self->system()}, parts_.errors, parts_.settings})} {}

elastic_director_state::~elastic_director_state() { end_children(); }

void elastic_director_state::end_children() {
  for (const auto& [key, each] : std::exchange(jobs_, {}))
    caf::anon_send_exit(each.actor, caf::exit_reason::user_shutdown);
}

protocol::elastic_director::behavior_type elastic_director_state::make_behavior() {
  tools_->director = protocol::elastic_director{self_};
  return {
    [this](protocol::hosts_subscription& subscription) { tools_->hosts = std::move(subscription.hosts); },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](protocol::edit_hint) {
      edits_.next = now();
      poll_edits();
    },
    [this](protocol::host_view& view) { pass_on(std::move(view)); },
    [this](protocol::host_events& events) { pass_on(std::move(events)); },
    [this](const protocol::host_notice& notice) { pass_on(notice); },
    [this](const protocol::host_epochs& seen) { hear(seen); },
    [this](const protocol::coordinator_wish& wish) { take_wish(wish); },
    [this](const protocol::pending_work_update& update) { take_pulse(update); },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- jobs ------------------------------------------------------------------------------------------------------------------

elastic_director_state::held_slot* elastic_director_state::slot_of(job_key job) {
  const auto found = slots_.find(static_cast<std::uint32_t>(core::slot_of(core::job_id{job})));
  return found == slots_.end() ? nullptr : &found->second;
}

void elastic_director_state::add(core::elastic::adopted_job&& stored) {
  const auto key = core::number(stored.job.id);
  auto* const held = slot_of(key);
  if (held == nullptr || held->leaves || jobs_.contains(key))
    return;
  const job_identity who{stored.job.id, held->lease, life_->incarnation};
  using coordinator = protocol::with_state<elastic_coordinator_state, protocol::elastic_coordinator>;
  protocol::elastic_coordinator made =
    self_->spawn<coordinator>(std::shared_ptr<const coordinator_tools>{tools_}, who, std::move(stored), known_);
  held->jobs.insert(key);
  watcher_.watch(self_, made, [this, key, address = made.address()](const caf::error& reason) {
    child_ended(key, address, reason);
  });
  jobs_.emplace(key, child{std::move(made), 0, views_});
}

void elastic_director_state::remove(job_key job) {
  if (jobs_.erase(job) == 0)
    return;
  if (auto* const held = slot_of(job)) {
    held->jobs.erase(job);
    release_idle();
  }
}

void elastic_director_state::remove_and_read(job_key job) {
  remove(job);
  if (auto* const held = slot_of(job); held != nullptr && !held->leaves)
    held->loaded = false;
}

void elastic_director_state::take_wish(const protocol::coordinator_wish& wish) {
  const auto key = core::number(wish.job);
  const auto found = jobs_.find(key);
  // A coordinator that ended with the former incarnation may have asked for something last.
  if (found == jobs_.end() || found->second.actor.address() != caf::actor_cast<caf::actor_addr>(self_->current_sender()))
    return;
  if (wish.released) {
    // Either the job or its slot is gone; a new reading of the slot tells which.
    remove_and_read(key);
    return arm();
  }
  if (wish.is_busy) {
    found->second.is_busy = *wish.is_busy;
    show_hosts(found->second);
  }
  if (!wish.call_at)
    return;
  found->second.version = ++versions_;
  looks_.push(*wish.call_at, {key, versions_});
  arm();
}

// A defect: the job is adopted again by a new coordinator.
void elastic_director_state::child_ended(job_key job, const caf::actor_addr& who, const caf::error& reason) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.actor.address() != who)
    return;
  parts_.log->error("the coordinator of elastic job={} ended unexpectedly: {}", job, caf::to_string(reason));
  remove_and_read(job);
  next_lease_ = now() + lease_pause;
  arm();
}

// -- hosts -----------------------------------------------------------------------------------------------------------------

void elastic_director_state::pass_on(protocol::host_view&& view) {
  known_ = std::move(view.known);
  tools_->slots->set(*known_);
  ++views_;
  // Most of ten thousand jobs are idle, and the load of the hosts changes several times in a second.
  for (auto& [key, each] : jobs_)
    if (!known_->only_load || each.is_busy)
      show_hosts(each);
  tools_->slots->wake();
}

void elastic_director_state::show_hosts(child& to) {
  if (known_ && std::exchange(to.view, views_) != views_)
    protocol::send(self_, to.actor, protocol::host_view{known_});
}

void elastic_director_state::pass_on(const protocol::host_notice& notice) {
  for (const auto& [key, each] : jobs_)
    protocol::send(self_, each.actor, notice);
}

// A host repeats the events of a job whose slot is elsewhere over its other links. It may have no link to the node of the slot:
// results wait for that node in the inbox.
void elastic_director_state::pass_on(protocol::host_events&& events) {
  std::map<job_key, std::vector<protocol::elastic_event>> parts;
  std::vector<core::elastic::inbox_row> results;
  std::size_t refused = 0, gone = 0;
  for (auto& event : events.events) {
    const auto key = core::number(event.job);
    const auto* const held = slot_of(key);
    if (jobs_.contains(key))
      parts[key].push_back(std::move(event));
    // A receipt for a cursor says that it is stored.
    else if (held != nullptr && held->is_served() && event.kind != protocol::elastic_event_kind::cursor)
      ++gone;
    else if (is_for_inbox(event))
      results.push_back(inbox_row_of(event, known_ && is_leaving(*known_, events.host.host)));
    else
      ++refused;
  }
  const auto done = [&](std::size_t count, bool stored) {
    if (count != 0 && events.batch != 0)
      protocol::send(self_, tools_->hosts,
                     protocol::host_events_done{events.host, events.link_number, events.batch, count, stored,
                                                life_ ? life_->incarnation : 0});
  };
  done(gone, true);
  done(refused, false);
  if (!results.empty()) {
    const auto count = results.size();
    deliver(std::move(results), {events.host, events.link_number, events.batch, count, false});
  }
  for (auto& [key, part] : parts)
    protocol::send(self_, jobs_.at(key).actor,
                   protocol::host_events{events.host, events.link_number, events.batch, std::move(part)});
  if (events.inventory)
    pass_on(*events.inventory, events);
}

// This node reads the results of a slot that it is about to get with the slot's jobs, or hears them again.
bool elastic_director_state::is_for_inbox(const protocol::elastic_event& event) const {
  const auto slot = core::slot_of(core::job_id{core::number(event.job)});
  return life_ && end_of(event.kind) && !wanted_.test(slot) && !slots_.contains(static_cast<std::uint32_t>(slot));
}

void elastic_director_state::deliver(std::vector<core::elastic::inbox_row>&& results, protocol::host_events_done done) {
  ask<void>([owner = *life_, host = done.host,
             results = std::move(results)](storage::store& store) { return store.elastic().deliver(owner, host, results); },
            [this, done](core::result<void>&& stored) mutable {
              if (!stored)
                parts_.log->warn("results of another node's jobs are not stored, the host repeats them: {}",
                                 stored.error().context);
              done.stored = stored.has_value();
              protocol::send(self_, tools_->hosts, done);
            });
}

void elastic_director_state::pass_on(const protocol::elastic_inventory& part, const protocol::host_events& from) {
  std::map<job_key, std::vector<protocol::elastic_held_run>> runs;
  for (const auto& run : part.runs)
    runs[core::number(run.job)].push_back(run);
  const auto held = slots_.find(part.slot);
  if (held == slots_.end())
    return;
  for (const auto key : held->second.jobs) {
    if (!job_coordination::may_have_asked(part.question, core::elastic::elastic_job_id{key}))
      continue;
    protocol::elastic_inventory own{part.question, part.slot, part.epoch, {}, part.end};
    if (const auto found = runs.find(key); found != runs.end())
      own.runs = std::move(found->second);
    protocol::send(self_, jobs_.at(key).actor, protocol::host_events{from.host, from.link_number, 0, {}, std::move(own)});
  }
}

// -- time ------------------------------------------------------------------------------------------------------------------

void elastic_director_state::tick() {
  if (!armed_ || now() < *armed_)
    return;
  armed_.reset();
  call_due();
  if (life_ && now() >= edits_.next) {
    follow_clock();
    poll_due();
  }
  take_leases();
  if (release_again_ && now() >= *release_again_) {
    release_again_.reset();
    release_idle();
  }
  look_whether_stopped();
  arm();
}

void elastic_director_state::call_due() {
  for (const auto& each : looks_.take_due(now()))
    if (!is_stale(each)) {
      auto& job = jobs_.at(each.job);
      show_hosts(job);
      protocol::send(self_, job.actor, protocol::elastic_due{parts_.clock.at(now())});
    }
}

// Moments of instants were computed with the former difference of the clocks.
void elastic_director_state::follow_clock() {
  const auto offset = std::chrono::nanoseconds{parts_.clock.at(now()).time_since_epoch()} - now().time_since_epoch();
  const auto step = std::chrono::abs(offset - std::exchange(clock_offset_, offset));
  if (step <= clock_step)
    return;
  for (auto& [key, each] : jobs_) {
    show_hosts(each);
    protocol::send(self_, each.actor, protocol::elastic_due{parts_.clock.at(now())});
  }
}

bool elastic_director_state::is_stale(const look& of) const {
  const auto found = jobs_.find(of.job);
  return found == jobs_.end() || found->second.version != of.version;
}

void elastic_director_state::arm() {
  tools_->metrics.show_slots(slots_.size());
  const auto stale = [this](const look& each) { return is_stale(each); };
  looks_.pop_while(stale);
  // Outdated entries of distant instants would stay for long.
  if (looks_.size() > 2 * jobs_.size() + stale_looks_max)
    looks_.erase_if(stale);
  std::optional<steady> next = looks_.next();
  const auto add = [&](steady when) { next = next ? std::min(*next, when) : when; };
  if (life_ && !edits_.polling && !loading_)
    add(edits_.next);
  if (life_ && active_ && !loading_ && !edits_.polling && !stopping_ && missing_slots().any())
    add(next_lease_);
  if (life_ && release_again_)
    add(*release_again_);
  if (stopping_ && !stopped_.empty())
    add(stop_until_);
  if (!next || (armed_ && *armed_ <= *next))
    return;
  armed_ = std::max(*next, now());
  protocol::send_at(self_, protocol::elastic_director{self_}, *armed_, protocol::tick_atom{});
}

} // namespace ringmaster::actors
