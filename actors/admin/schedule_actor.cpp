#include "actors/admin/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t page_size = 2000;
// Rounds closer together than this make small batches; the claim is early enough for it.
constexpr auto round_gap = 20ms;
// An intent that nobody took for this long is everybody's (firing protocol §3).
constexpr auto intent_age = 1s;
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

// -- definitions -----------------------------------------------------------------------------------------------------------

void schedule_actor_state::load(core::slot_set wanted, core::job_id after, std::int64_t generation) {
  loading_ = true;
  ask_store<std::vector<core::scheduled_job>>(
    self_, partners_.storage,
    [wanted, after](storage::store& store) { return store.firings().load_jobs(wanted, after, page_size); },
    [this, wanted, after, generation](core::result<std::vector<core::scheduled_job>>&& page) {
      if (generation != generation_)
        return;
      if (!page) {
        // The store went away while we read: begin again when it answers the next poll.
        log_->warn("reading jobs failed, trying again: {}", page.error().context);
        loading_ = false;
        next_poll_ = steady_now() + settings_.edit_poll;
        arm();
        return;
      }
      // Only the first page's revisions are a safe bound: whatever was edited while later pages were read is read once more.
      if (after == core::job_id{0})
        for (const auto& job : *page)
          seen_revision_ = std::max(seen_revision_, job.revision);
      auto last = page->empty() ? after : page->back().spec->id;
      auto complete = page->size() < page_size;
      for (auto& job : *page)
        put(std::move(job));
      if (!complete)
        return load(wanted, last, generation);
      loading_ = false;
      loaded_ = true;
      log_->info("{} jobs known", book_.size());
      next_poll_ = steady_now();
      work();
    });
}

void schedule_actor_state::poll_edits() {
  if (!life_ || polling_)
    return;
  if (!loaded_) {
    // A read that is under way is let finish, however long it takes.
    if (!loading_ && slots_.any() && steady_now() >= next_poll_)
      reload();
    return;
  }
  polling_ = true;
  next_poll_ = steady_now() + settings_.edit_poll;
  ask_store<std::vector<core::scheduled_job>>(
    self_, partners_.storage,
    [seen = seen_revision_](storage::store& store) { return store.firings().edits_since(seen, page_size); },
    [this, generation = generation_](core::result<std::vector<core::scheduled_job>>&& page) {
      if (generation != generation_)
        return;
      polling_ = false;
      if (page)
        take_edits(std::move(*page));
      arm();
    });
}

void schedule_actor_state::take_edits(std::vector<core::scheduled_job>&& edits) {
  if (edits.empty())
    return;
  // A page may end inside one edit's jobs: the last revision counts as seen only when the page is the last one.
  auto full = edits.size() >= page_size;
  auto first = edits.front().revision;
  auto last = edits.back().revision;
  for (auto& job : edits)
    put(std::move(job));
  if (full && first != last)
    seen_revision_ = last - 1;
  else
    seen_revision_ = std::max(seen_revision_, last);
  protocol::send(self_, partners_.registry, protocol::registry_hint{});
  if (full)
    poll_edits();
  else
    work();
}

void schedule_actor_state::put(core::scheduled_job&& read) {
  auto id = read.spec->id;
  if (!slots_.test(core::slot_of(id)))
    return;
  if (auto bad = book_.put(std::move(read)))
    log_->error("job {} cannot be planned: {}", core::number(bad->job), bad->reason);
}

void schedule_actor_state::read_again(std::vector<core::job_id> jobs) {
  if (jobs.empty())
    return;
  auto asked = std::make_shared<const std::vector<core::job_id>>(std::move(jobs));
  ask_store<std::vector<core::scheduled_job>>(
    self_, partners_.storage, [asked](storage::store& store) { return store.firings().read_jobs(*asked); },
    [this, asked, generation = generation_](core::result<std::vector<core::scheduled_job>>&& found) {
      if (generation != generation_)
        return;
      if (!found) {
        for (auto id : *asked)
          book_.retry_at(id, now() + 1s);
        return arm();
      }
      std::unordered_set<std::int32_t> alive;
      for (auto& job : *found) {
        alive.insert(core::number(job.spec->id));
        put(std::move(job));
      }
      for (auto id : *asked)
        if (!alive.contains(core::number(id)))
          book_.erase(id);
      work();
    });
}

// -- intents ---------------------------------------------------------------------------------------------------------------

void schedule_actor_state::poll_intents() {
  next_intent_poll_ = steady_now() + intent_age;
  ask_store<std::vector<core::intent>>(
    self_, partners_.storage,
    [before = now() - intent_age](storage::store& store) { return store.firings().waiting_intents(before, page_size); },
    [this, generation = generation_](core::result<std::vector<core::intent>>&& found) {
      if (generation == generation_ && found)
        take_intents(std::move(*found));
    });
}

void schedule_actor_state::take_intents(std::vector<core::intent>&& intents) {
  if (!life_)
    return; // still in the store: whoever has a life sweeps them
  for (auto& intent : intents)
    if (intents_known_.insert(core::number(intent.id)).second)
      intents_.push_back(std::move(intent));
  work();
}

// At most half a request, so that the children of a busy night do not keep the schedules waiting.
void schedule_actor_state::add_intents(protocol::route_request& request) {
  for (auto& intent : deferred_intents_.take_due(steady_now()))
    intents_.push_back(std::move(intent));
  std::vector<core::intent> unknown;
  auto room = std::max<std::size_t>(1, settings_.claim_rows_max / 2);
  for (; room > 0 && !intents_.empty(); --room) {
    auto intent = std::move(intents_.front());
    intents_.pop_front();
    if (auto spec = book_.find(intent.job))
      request.candidates.push_back({std::move(spec), std::nullopt, std::move(intent), generation_});
    else
      unknown.push_back(std::move(intent));
  }
  if (!unknown.empty())
    route_unknown(std::move(unknown));
}

// Their jobs are not in this node's slots, or are gone: read for these runs only.
void schedule_actor_state::route_unknown(std::vector<core::intent>&& intents) {
  std::vector<core::job_id> jobs;
  for (const auto& intent : intents)
    jobs.push_back(intent.job);
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  routing_ += intents.size();
  ask_store<std::vector<core::scheduled_job>>(
    self_, partners_.storage, [jobs = std::move(jobs)](storage::store& store) { return store.firings().read_jobs(jobs); },
    [this, intents = std::move(intents),
     generation = generation_](core::result<std::vector<core::scheduled_job>>&& found) mutable {
      if (generation != generation_ || !found) {
        routing_ -= std::min(routing_, intents.size());
        if (generation == generation_)
          for (const auto& intent : intents)
            intents_known_.erase(core::number(intent.id)); // the sweep brings it back
        return;
      }
      std::unordered_map<std::int32_t, core::job_ptr> known;
      for (auto& job : *found)
        known.emplace(core::number(job.spec->id), std::move(job.spec));
      protocol::route_request request{{}, protocol::route_listener{self_}};
      for (auto& intent : intents) {
        auto& spec = known[core::number(intent.job)];
        if (!spec) {
          // The claim removes the intent of a job that is gone (firing protocol §7.5); it needs only the id for that.
          auto ghost = std::make_shared<core::job>();
          ghost->id = intent.job;
          spec = std::move(ghost);
        }
        request.candidates.push_back({spec, std::nullopt, std::move(intent), generation_});
      }
      protocol::send(self_, partners_.pool, std::move(request));
    });
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
  auto t = now();
  for (auto& candidate : batch.deferred) {
    if (is_stale(candidate))
      continue;
    deferred_count_->inc();
    if (candidate.intent)
      deferred_intents_.push(steady_now() + round_gap, std::move(*candidate.intent));
    else
      book_.retry_at(candidate.spec->id, t + round_gap);
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
  pending_claim pending{.generation = generation_, .moves = {}, .intents = {}, .slots = {}};
  auto end = routed_.begin() + static_cast<std::ptrdiff_t>(std::min(routed_.size(), claim_jobs_max_));
  for (auto job = routed_.begin(); job != end; ++job) {
    if (job->candidate.plan) {
      const auto& plan = *job->candidate.plan;
      batch.moves.push_back({plan.id, plan.expected_next, plan.last, plan.next});
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
  std::unordered_set<std::int32_t> lost;
  for (auto id : outcome.lost_races)
    lost.insert(core::number(id));
  if (pending.generation == generation_)
    for (const auto& move : pending.moves)
      if (!lost.contains(core::number(move.job)))
        book_.moved(move.job, move.next, move.last);
  for (const auto& run : outcome.runs)
    --pending.slots.lanes[run.plan.lane];
  if (pending.slots != protocol::slot_release{})
    protocol::send(self_, partners_.pool, pending.slots);
  claimed_count_->inc(static_cast<std::int64_t>(outcome.runs.size()));
  dropped_count_->inc(static_cast<std::int64_t>(pending.dropped));
  lost_count_->inc(static_cast<std::int64_t>(outcome.lost_races.size()));
  if (!outcome.runs.empty())
    protocol::send(self_, partners_.ring, protocol::firing_batch{std::move(outcome.runs)});
  read_again(std::move(outcome.lost_races));
  work();
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
    book_.retry_at(move.job, now() + wait);
  for (auto& intent : pending.intents)
    deferred_intents_.push(steady_now() + wait, std::move(intent));
  work();
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
