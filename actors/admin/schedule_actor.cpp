#include "actors/admin/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Rounds closer together than this make small batches; the claim is early enough for it.
constexpr auto round_gap = 20ms;
// A job whose claim the store refuses.
constexpr auto refused_wait = std::chrono::seconds{60};

caf::telemetry::int_counter* counter(caf::actor_system& system, const char* metric, const char* help) {
  return system.metrics().counter_singleton("ringmaster", metric, help, "1", true);
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
    book_{std::move(where)},
    claimed_count_{counter(self->system(), "firings-claimed", "Runs claimed by this node.")},
    dropped_count_{counter(self->system(), "firings-dropped-by-misfire", "Instants dropped by the misfire policy DO_NOTHING.")},
    deferred_count_{counter(self->system(), "firings-deferred", "Times a due job found its lane full and stayed due.")},
    lost_count_{counter(self->system(), "claims-lost", "Schedule moves that lost the compare-and-set.")} {}

protocol::schedule_actor::behavior_type schedule_actor_state::make_behavior() {
  return {
    [this](const protocol::life_change& change) { change_life(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](protocol::edit_hint) { poll_edits(); },
    [this](protocol::routed_batch& batch) { take_routed(std::move(batch)); },
    [this](protocol::claim_reply& reply) { take_claim(std::move(reply)); },
    [this](protocol::intent_batch& batch) { take_intents(std::move(batch.items)); },
    [this](protocol::stop_request) { return drain(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- lives and slots -------------------------------------------------------------------------------------------------------

// Claims of a former life are adopted by the next one, whatever becomes of their answers.
void schedule_actor_state::change_life(const protocol::life_change& change) {
  forget_claims();
  life_ = change.life;
  reload();
}

// The life goes on and with it its claims: what is under way is fired when it is answered.
void schedule_actor_state::change_slots(const protocol::slot_change& change) {
  if (slots_ == change.slots)
    return;
  slots_ = change.slots;
  // A takeover is rare, and reading everything again is one page for most installations.
  reload();
}

void schedule_actor_state::reload() {
  forget_jobs();
  if (life_ && slots_.any())
    load(slots_, core::job_id{0}, generation_);
}

void schedule_actor_state::forget_jobs() {
  ++generation_;
  loaded_ = false;
  loading_ = false;
  polling_ = false;
  seen_revision_ = 0;
  book_.clear();
  intents_.clear();
  deferred_intents_.clear();
  intents_known_.clear();
  for (const auto& [sequence, claim] : claims_)
    for (const auto& intent : claim.intents)
      intents_known_.insert(core::number(intent.id));
  drop_stale_routes();
}

void schedule_actor_state::forget_claims() {
  protocol::slot_release freed;
  for (const auto& [sequence, claim] : claims_)
    for (std::size_t lane = 0; lane < freed.lanes.size(); ++lane)
      freed.lanes[lane] += claim.slots.lanes[lane];
  claims_.clear();
  if (freed != protocol::slot_release{})
    protocol::send(self_, partners_.pool, freed);
  report_drained();
}

// -- planning --------------------------------------------------------------------------------------------------------------

void schedule_actor_state::tick() {
  auto t = steady_now();
  if (armed_ && *armed_ <= t)
    armed_.reset();
  if (life_) {
    if (t >= next_poll_)
      poll_edits();
    if (loaded_ && t >= next_intent_poll_)
      poll_intents();
    work();
  }
  arm();
}

caf::result<void> schedule_actor_state::drain() {
  draining_ = true;
  auto promise = self_->make_response_promise<void>();
  drained_.push_back(promise);
  report_drained();
  return promise;
}

void schedule_actor_state::report_drained() {
  if (!draining_ || !claims_.empty())
    return;
  for (auto& promise : std::exchange(drained_, {}))
    promise.deliver();
}

void schedule_actor_state::work() {
  if (!life_ || !loaded_ || draining_)
    return;
  claim_routed();
  plan_due(now());
  arm();
}

void schedule_actor_state::plan_due(core::time_point t) {
  if (claims_.size() + (routed_.empty() ? 0 : 1) >= claims_in_flight_max || routing_ >= settings_.claim_rows_max)
    return;
  protocol::route_request request{{}, protocol::route_listener{self_}};
  add_intents(request);
  core::plan_window window{.now = t, .horizon = settings_.claim_ahead, .misfire_after = settings_.misfire_after};
  std::size_t runs = request.candidates.size();
  while (runs < settings_.claim_rows_max) {
    auto due = book_.take_due(t + settings_.claim_ahead);
    if (!due)
      break;
    auto plan = core::plan({due->spec, due->next}, *due->rule, window);
    if (plan.next == due->next) {
      book_.retry_at(due->spec->id, due->next); // looked at too early
      continue;
    }
    runs += std::max<std::size_t>(1, plan.firings.size());
    request.candidates.push_back({due->spec, std::move(plan), std::nullopt, generation_});
  }
  if (request.candidates.empty())
    return;
  routing_ += request.candidates.size();
  protocol::send(self_, partners_.pool, std::move(request));
}

void schedule_actor_state::take_routed(protocol::routed_batch&& batch) {
  auto answered = batch.routed.size() + batch.deferred.size();
  routing_ -= std::min(routing_, answered);
  for (auto& candidate : batch.deferred) {
    if (is_stale(candidate))
      continue;
    deferred_count_->inc();
    if (candidate.intent)
      deferred_intents_.push(steady_now() + round_gap, std::move(*candidate.intent));
    else
      look_again(candidate.spec->id, round_gap);
  }
  std::move(batch.routed.begin(), batch.routed.end(), std::back_inserter(routed_));
  work();
}

// Of a former life, or read anew while it was being routed: then it is planned anew, too, and a batch may move a job only once.
bool schedule_actor_state::is_stale(const protocol::route_candidate& candidate) const {
  return candidate.generation != generation_ || (candidate.plan && book_.find(candidate.spec->id) != candidate.spec);
}

void schedule_actor_state::drop_stale_routes() {
  protocol::slot_release freed;
  std::erase_if(routed_, [&](const protocol::routed_job& job) {
    if (!is_stale(job.candidate))
      return false;
    for (const auto& run : job.runs)
      ++freed.lanes[run.lane];
    return true;
  });
  if (freed != protocol::slot_release{})
    protocol::send(self_, partners_.pool, freed);
}

void schedule_actor_state::claim_routed() {
  drop_stale_routes();
  if (routed_.empty() || claims_.size() >= claims_in_flight_max)
    return;
  core::claim_batch batch{.owner = *life_, .sequence = next_sequence_++, .seen_revision = seen_revision_, .moves = {}, .runs = {},
                          .node_host = node_host_};
  pending_claim pending{.generation = generation_, .moves = {}, .specs = {}, .intents = {}, .slots = {}};
  auto end = routed_.begin() + static_cast<std::ptrdiff_t>(std::min(routed_.size(), claim_jobs_max_));
  for (auto job = routed_.begin(); job != end; ++job) {
    if (job->candidate.plan) {
      const auto& plan = *job->candidate.plan;
      batch.moves.push_back({plan.id, plan.expected_next, plan.last, plan.next});
      pending.specs.push_back(job->candidate.spec);
      pending.dropped += plan.dropped;
    } else if (job->candidate.intent) {
      pending.intents.push_back(std::move(*job->candidate.intent));
    }
    for (auto& run : job->runs) {
      ++pending.slots.lanes[run.lane];
      batch.runs.push_back(std::move(run));
    }
  }
  routed_.erase(routed_.begin(), end);
  pending.moves = batch.moves;
  claims_.emplace(batch.sequence, std::move(pending));
  protocol::send(self_, partners_.storage, protocol::claim_request{std::move(batch), protocol::claim_listener{self_}});
}

void schedule_actor_state::take_claim(protocol::claim_reply&& reply) {
  auto found = claims_.find(reply.sequence);
  if (found == claims_.end())
    return; // of a former life: recovery asks about its runs
  auto pending = std::move(found->second);
  claims_.erase(found);
  report_drained();
  if (!reply.outcome)
    return refused(std::move(pending), reply.outcome.error());
  if (claim_jobs_max_ != unlimited)
    claim_jobs_max_ = claim_jobs_max_ < settings_.claim_rows_max ? claim_jobs_max_ * 2 : unlimited;
  auto& outcome = *reply.outcome;
  for (const auto& intent : pending.intents)
    intents_known_.erase(core::number(intent.id));
  auto lost = std::move(outcome.lost_races);
  lost_count_->inc(static_cast<std::int64_t>(lost.size()));
  if (outcome.repeated) // who lost is said only once, and that answer did not come
    for (const auto& move : pending.moves)
      lost.push_back(move.job);
  take_moves(pending, lost);
  for (const auto& run : outcome.runs)
    --pending.slots.lanes[run.plan.lane];
  if (pending.slots != protocol::slot_release{})
    protocol::send(self_, partners_.pool, pending.slots);
  claimed_count_->inc(static_cast<std::int64_t>(outcome.runs.size()));
  dropped_count_->inc(static_cast<std::int64_t>(pending.dropped));
  if (!outcome.runs.empty())
    protocol::send(self_, partners_.ring, protocol::firing_batch{std::move(outcome.runs)});
  read_again(std::move(lost));
  work();
}

void schedule_actor_state::take_moves(const pending_claim& pending, const std::vector<core::job_id>& lost) {
  std::unordered_set<std::int32_t> not_moved;
  for (auto id : lost)
    not_moved.insert(core::number(id));
  for (std::size_t i = 0; i < pending.moves.size(); ++i) {
    const auto& move = pending.moves[i];
    // A job that was read since then is newer, or loses its next claim.
    if (!not_moved.contains(core::number(move.job)) && book_.find(move.job) == pending.specs[i])
      book_.moved(move.job, move.next, move.last);
  }
}

// Nothing of it was kept. What the store refuses now it refuses for ever, so smaller claims follow at once, until the job that it
// refuses stands alone; that one waits, so that it does not hold up the others.
void schedule_actor_state::refused(pending_claim&& pending, const core::error& why) {
  protocol::send(self_, partners_.pool, pending.slots);
  auto jobs = pending.moves.size() + pending.intents.size();
  auto fenced = why.code == core::errc::fenced;
  auto wait = fenced ? core::milliseconds{1s} : core::milliseconds{0};
  if (!fenced && jobs == 1) {
    auto job = pending.moves.empty() ? pending.intents.front().job : pending.moves.front().job;
    log_->error("job {} cannot be claimed, trying again in {} s: {}", core::number(job), refused_wait.count(), why.context);
    wait = refused_wait;
  } else if (!fenced) {
    claim_jobs_max_ = std::max<std::size_t>(1, jobs / 2);
  }
  if (pending.generation != generation_) {
    for (const auto& intent : pending.intents)
      intents_known_.erase(core::number(intent.id)); // the sweep brings them back; the jobs were read anew
    return;
  }
  for (const auto& move : pending.moves)
    look_again(move.job, wait);
  for (auto& intent : pending.intents)
    deferred_intents_.push(steady_now() + wait, std::move(intent));
  work();
}

// The book is asked for what is due `claim_ahead` from now.
void schedule_actor_state::look_again(core::job_id job, core::milliseconds wait) {
  book_.retry_at(job, now() + settings_.claim_ahead + wait);
}

void schedule_actor_state::arm() {
  if (!life_)
    return;
  auto t = steady_now();
  auto wake = next_poll_;
  if (loaded_) {
    wake = std::min(wake, next_intent_poll_);
    if (auto look = book_.next_look())
      wake = std::min(wake, clock_.when(*look - settings_.claim_ahead));
    if (auto intent = deferred_intents_.next())
      wake = std::min(wake, *intent);
  }
  wake = std::max(wake, t + round_gap);
  if (armed_ && *armed_ <= wake)
    return;
  armed_ = wake;
  protocol::send_at(self_, protocol::schedule_actor{self_}, wake, protocol::tick_atom{});
}

core::time_point schedule_actor_state::now() const { return clock_.at(self_->clock().now()); }

} // namespace ringmaster::actors
