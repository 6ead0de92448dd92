#include "actors/firing/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Rounds closer together than this make small batches; the claim is early enough for it.
constexpr auto round_gap = 20ms;
// Wait of a job whose executor has not been heard from, or that must wait to ask an executor: neither changes within a few
// milliseconds, and there may be thousands of such jobs.
constexpr auto held_wait = 200ms;

// Distinguishes instants of schedules, planned or reserved, from all other runs.
core::fair_alternator::kind kind_of(const protocol::route_candidate& candidate) {
  const bool by_schedule = candidate.plan || (candidate.intent && core::is_reserved(candidate.intent->kind));
  return by_schedule ? core::fair_alternator::kind::one : core::fair_alternator::kind::other;
}

} // namespace

schedule_actor_state::schedule_actor_state(protocol::schedule_actor::pointer self, schedule_partners partners,
                                           config::schedule_settings settings, core::zone where, std::string node_host,
                                           protocol::wall_clock clock, logger log)
  : self_{self},
    partners_{std::move(partners)},
    settings_{settings},
    node_host_{std::move(node_host)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    where_{where},
    book_{std::move(where)},
    far_ahead_{self->system(), log_},
    mirror_{self, partners_.storage, clock_, log_, {[this] { hear_hint(); }, [this] { arm(); }}},
    intents_{clock_, settings_.claim_ahead, settings_.misfire_after},
    turns_{core::retry_pacer{round_gap, 2 * settings_.claim_rows_max},
           core::retry_pacer{round_gap, 2 * settings_.claim_rows_max}},
    metrics_{self->system()} {}

protocol::schedule_actor::behavior_type schedule_actor_state::make_behavior() {
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](const protocol::prepare_slots& next) { return prepare(next); },
    [this](protocol::edit_hint) { hear_hint(); },
    [this](const protocol::pending_work_update& update) { take_pulse(update); },
    [this](protocol::routed_batch& batch) { take_routed(std::move(batch)); },
    [this](protocol::claim_reply& reply) { take_claim(std::move(reply)); },
    [this](protocol::intent_batch& batch) { take_intents(std::move(batch.items)); },
    [this](protocol::finish_reserved) { return finish_reserved(); },
    [this](protocol::stop_request) { return drain(); },
    [this](protocol::finish_mirror) { return finish_mirror(); },
    [this](protocol::reserved_backlog_query) { return protocol::reserved_backlog{intents_.reserved_lateness(steady_now())}; },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- incarnations and slots ------------------------------------------------------------------------------------------------

// The next incarnation adopts the claims of an earlier one, whatever their answers are.
void schedule_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  incarnation_ = change.life;
  shared_ = change.life && change.mode == core::cluster_mode::shared;
  planning_since_ = now();
  forget_claims();
  forget_everything();
  load_missing();
  report_finished();
}

void schedule_actor_state::change_slots(const protocol::slot_change& change) {
  take_slots(change.slots);
  if (std::exchange(reads_.parked, false))
    begin_planning();
  work();
}

// Another node has planned these slots until now: jobs that are due by the book were moved, or would lose their claims.
void schedule_actor_state::begin_planning() {
  planning_since_ = now();
  std::vector<core::job_id> moved;
  while (auto due = book_.take_due(now()))
    moved.push_back(due->spec->id);
  read_sources(std::move(moved));
}

caf::result<void> schedule_actor_state::prepare(const protocol::prepare_slots& next) {
  auto promise = self_->make_response_promise<void>();
  reads_.prepared.push_back(promise);
  reads_.parked = true;
  take_slots(next.slots);
  report_prepared();
  return promise;
}

void schedule_actor_state::report_prepared() {
  if (missing_slots().any())
    return;
  for (auto& promise : std::exchange(reads_.prepared, {}))
    promise.deliver();
}

// The incarnation goes on, and with it its claims: those under way are fired when they are answered. Jobs of remaining slots are
// planned while those of the new slots are read.
void schedule_actor_state::take_slots(const core::slot_set& slots) {
  if (slots_ == slots)
    return;
  const auto gone = slots_ & ~slots;
  if ((slots & ~slots_).any())
    planning_since_ = now();
  slots_ = slots;
  reads_.known_slots &= slots_;
  reads_.loading_slots &= slots_;
  if (gone.any()) {
    book_.erase_if([&gone](core::job_id job) { return gone.test(core::slot_of(job)); });
    drop_stale_routes();
  }
  if (!incarnation_)
    return;
  sweep_.restart(); // intents of a node that is gone
  load_missing();
  arm();
}

void schedule_actor_state::forget_everything() {
  ++generation_;
  reads_ = {.polled_revision = reads_.polled_revision, .polled_job = reads_.polled_job, .next_poll = reads_.next_poll};
  sweep_.clear();
  far_ahead_.restart();
  book_.clear();
  intents_.clear();
  guests_.clear();
  locked_.jobs.clear();
  locked_.intents.clear();
  drop_stale_routes();
}

// -- planning --------------------------------------------------------------------------------------------------------------

void schedule_actor_state::tick() {
  auto t = steady_now();
  if (armed_ && *armed_ <= t)
    armed_.reset();
  if (incarnation_) {
    poll_due(t);
    if (syncs_mirror())
      mirror_.step();
    if (far_ahead_.is_due(t))
      far_ahead_.look(book_, now(), t);
    work();
  }
  report_finished();
  arm();
}

// Checked with each answered claim and with each tick: a sweep comes once a second at the latest.
void schedule_actor_state::report_finished() {
  if (stop_.finished.empty())
    return;
  const bool reading = reads_.known_slots != slots_ || (slots_.any() && sweep_.reads_ahead());
  if (incarnation_ && (reading || intents_.has_reserved()))
    return;
  for (auto& promise : std::exchange(stop_.finished, {}))
    promise.deliver();
}

caf::result<void> schedule_actor_state::finish_reserved() {
  auto promise = self_->make_response_promise<void>();
  stop_.finished.push_back(promise);
  report_finished();
  return promise;
}

caf::result<void> schedule_actor_state::drain() {
  stop_.draining = true;
  drop_stale_routes();
  auto promise = self_->make_response_promise<void>();
  stop_.drained.push_back(promise);
  report_drained();
  return promise;
}

void schedule_actor_state::report_drained() {
  if (!stop_.draining || !claims_.empty())
    return;
  if (stop_.drained.empty() || stop_.leaving)
    return;
  if (!incarnation_)
    return leave();
  stop_.leaving = true;
  if (shared_ || slots_.none()) // the next leader goes on with the mirror
    return leave();
  mirror_.finish([this] { leave(); });
}

caf::result<void> schedule_actor_state::finish_mirror() {
  if (!incarnation_ || shared_)
    return caf::unit;
  auto promise = self_->make_response_promise<void>();
  mirror_.finish([promise]() mutable { promise.deliver(); });
  return promise;
}

void schedule_actor_state::leave() {
  stop_.leaving = false;
  for (auto& promise : std::exchange(stop_.drained, {}))
    promise.deliver();
}

// XXL's columns are a task of the leader, and in shared mode they are the schedule.
bool schedule_actor_state::syncs_mirror() const {
  return incarnation_ && !shared_ && missing_slots().none() && !stop_.draining && !reads_.parked && slots_.test(0);
}

void schedule_actor_state::work() {
  if (!incarnation_ || stop_.draining)
    return;
  claim_routed();
  plan_due(now());
  arm();
}

void schedule_actor_state::plan_due(core::time_point t) {
  if (claims_.size() + (routed_.empty() ? 0 : 1) >= claims_in_flight_max || routing_ >= settings_.claim_rows_max)
    return;
  auto candidates = next_intents();
  core::plan_window window{.now = t, .horizon = settings_.claim_ahead, .misfire_after = settings_.misfire_after};
  std::size_t runs = candidates.size();
  const auto look = reads_.parked ? std::nullopt : book_.next_look();
  const bool begins = look && next_pass(*look) <= t;
  std::vector<core::job_id> without_source;
  while (begins && runs < settings_.claim_rows_max) {
    auto due = book_.take_due(t + settings_.claim_ahead);
    if (!due)
      break;
    if (due->spec->source_left_out) {
      without_source.push_back(due->spec->id); // due again as soon as its source is read
      continue;
    }
    auto plan = core::plan({due->spec, due->next}, *due->rule, window);
    if (plan.next == due->next) {
      book_.retry_at(due->spec->id, due->next); // checked too early
      continue;
    }
    runs += std::max<std::size_t>(1, plan.firings.size());
    candidates.push_back({due->spec, std::move(plan), std::nullopt, generation_});
  }
  if (begins) {
    last_pass_ = t;
    hurried_ = runs >= settings_.claim_rows_max;
  }
  read_sources(std::move(without_source));
  // In a pass that does not fit the lanes, neither kind waits for the end of the other.
  protocol::route_request request{turns_.shares.in_turn(std::move(candidates), kind_of), protocol::route_listener{self_}};
  if (request.candidates.empty())
    return;
  routing_ += request.candidates.size();
  protocol::send(self_, partners_.pool, std::move(request));
}

// A claim costs the store the same for one instant as for some dozens: while the first instant has half of its lead left, others
// are collected. A burst does not wait: its first pass begins as early as possible and is full.
core::time_point schedule_actor_state::next_pass(core::time_point look) const {
  const auto opens = look - settings_.claim_ahead;
  return hurried_ ? opens : std::max(opens, std::min(last_pass_ + settings_.claim_ahead / 4, look - settings_.claim_ahead / 2));
}

void schedule_actor_state::take_routed(protocol::routed_batch&& batch) {
  routing_ -= std::min(routing_, batch.accounted);
  share_room(batch);
  for (auto& candidate : batch.deferred) {
    auto& retry_pacer = kind_of(candidate) == core::fair_alternator::kind::one ? turns_.instants : turns_.others;
    const auto wait = retry_pacer.wait(steady_now(), lateness_of(candidate), settings_.misfire_after);
    put_off(std::move(candidate), wait);
  }
  for (auto& candidate : batch.held)
    put_off(std::move(candidate), held_wait);
  std::move(batch.routed.begin(), batch.routed.end(), std::back_inserter(routed_));
  drop_stale_routes();
  work();
}

// The pool answers in the order of the requests. A plan that only drops instants needs no room.
void schedule_actor_state::share_room(const protocol::routed_batch& batch) {
  if (batch.deferred.empty())
    return;
  const auto short_of = kind_of(batch.deferred.front());
  const auto found = [&](bool own) {
    return std::any_of(batch.routed.begin(), batch.routed.end(), [&](const protocol::routed_job& job) {
      return !job.runs.empty() && (kind_of(job.candidate) == short_of) == own;
    });
  };
  turns_.shares.answered(short_of, found(true), found(false));
}

// A child, a retry or a manual run is due from its creation.
core::milliseconds schedule_actor_state::lateness_of(const protocol::route_candidate& candidate) const {
  if (candidate.plan)
    return now() - candidate.plan->expected_next;
  const bool reserved = candidate.intent && core::is_reserved(candidate.intent->kind);
  return reserved ? now() - candidate.intent->fire_at : settings_.misfire_after;
}

void schedule_actor_state::put_off(protocol::route_candidate&& candidate, core::milliseconds wait) {
  if (is_stale(candidate))
    return;
  metrics_.deferred->inc();
  hurried_ = true;
  if (candidate.intent)
    intents_.put_off(std::move(*candidate.intent), steady_now() + wait);
  else
    look_again(candidate.spec->id, wait);
}

// Returns true if the candidate is of an earlier incarnation, or if its job was read again while it was routed: then it is also
// planned again, and a batch may move a job only once. At a graceful stop all candidates are stale: they stay due.
bool schedule_actor_state::is_stale(const protocol::route_candidate& candidate) const {
  return stop_.draining || candidate.generation != generation_ ||
         (candidate.plan && book_.find(candidate.spec->id) != candidate.spec);
}

void schedule_actor_state::drop_stale_routes() {
  protocol::slot_release freed;
  std::erase_if(routed_, [&](const protocol::routed_job& job) {
    if (!is_stale(job.candidate))
      return false;
    for (const auto& run : job.runs)
      freed.slots.add(run);
    return true;
  });
  give_back(std::move(freed));
}

void schedule_actor_state::give_back(protocol::slot_release&& slots) {
  if (!slots.slots.empty())
    protocol::send(self_, partners_.pool, std::move(slots));
}

// The book returns jobs that are due `claim_ahead` from now, hence the shift.
void schedule_actor_state::look_again(core::job_id job, core::milliseconds wait) {
  book_.retry_at(job, now() + settings_.claim_ahead + wait);
}

void schedule_actor_state::arm() {
  if (!incarnation_)
    return;
  auto t = steady_now();
  auto wake = reads_.next_poll;
  if (const auto sweep = sweep_.next())
    wake = std::min(wake, *sweep);
  if (auto look = book_.next_look(); look && !reads_.parked)
    wake = std::min(wake, clock_.when(next_pass(*look)));
  if (const auto step = mirror_.next(); step && syncs_mirror())
    wake = std::min(wake, *step);
  if (const auto intent = intents_.next())
    wake = std::min(wake, *intent);
  wake = std::max(wake, t + round_gap);
  if (armed_ && *armed_ <= wake)
    return;
  armed_ = wake;
  protocol::send_at(self_, protocol::schedule_actor{self_}, wake, protocol::tick_atom{});
}

core::time_point schedule_actor_state::now() const { return clock_.at(self_->clock().now()); }

} // namespace ringmaster::actors
