// schedule_actor: claims, and what their answers mean.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "actors/admin/schedule_actor.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// A job whose claim the store refuses.
constexpr auto refused_wait = std::chrono::seconds{60};

} // namespace

void schedule_actor_state::claim_routed() {
  drop_stale_routes();
  if (routed_.empty() || claims_.size() >= claims_in_flight_max)
    return;
  core::claim_batch batch{.owner = *life_, .sequence = next_sequence_++, .seen_revision = seen_revision_, .moves = {}, .runs = {},
                          .node_host = node_host_, .shared = shared_};
  pending_claim pending{.generation = generation_, .moves = {}, .specs = {}, .intents = {}, .slots = {}};
  auto end = routed_.begin() + static_cast<std::ptrdiff_t>(std::min(routed_.size(), claim_jobs_max_));
  for (auto job = routed_.begin(); job != end; ++job) {
    if (job->candidate.plan) {
      const auto& plan = *job->candidate.plan;
      batch.moves.push_back({plan.id, plan.expected_next, plan.last, plan.next});
      pending.specs.push_back(job->candidate.spec);
      if (plan.dropped > 0)
        log_->info("job={} {} missed instants dropped by its misfire rule DO_NOTHING", core::number(plan.id), plan.dropped);
      pending.dropped += plan.dropped;
    } else if (job->candidate.intent) {
      pending.intents.push_back(std::move(*job->candidate.intent));
    }
    for (auto& run : job->runs) {
      pending.slots.slots.add(run);
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
  take_refused_intents(pending, outcome);
  auto lost = std::move(outcome.lost_races);
  add(lost_count_, lost.size());
  if (outcome.repeated) // who lost is said only once, and that answer did not come
    for (const auto& move : pending.moves)
      lost.push_back(move.job);
  take_moves(pending, lost);
  for (const auto& run : outcome.runs)
    pending.slots.slots.take_off(run.plan);
  give_back(std::move(pending.slots));
  add(claimed_count_, outcome.runs.size());
  add(dropped_count_, pending.dropped);
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
    if (!move.next && !not_moved.contains(core::number(move.job)))
      log_->info("job {} stopped: its schedule never fires again", core::number(move.job));
    // A job that was read since then is newer, or loses its next claim.
    if (!not_moved.contains(core::number(move.job)) && book_.find(move.job) == pending.specs[i])
      book_.moved(move.job, move.next, move.last);
  }
}

// Nothing of it was kept. What the store refuses now it refuses for ever, so smaller claims follow at once, until the job that it
// refuses stands alone; that one waits, so that it does not hold up the others.
void schedule_actor_state::refused(pending_claim&& pending, const core::error& why) {
  give_back(std::move(pending.slots));
  auto jobs = pending.moves.size() + pending.intents.size();
  auto fenced = why.code == core::errc::fenced;
  auto wait = fenced ? core::milliseconds{1s} : core::milliseconds{0};
  if (!fenced && jobs == 1) {
    auto job = pending.moves.empty() ? pending.intents.front().job : pending.moves.front().job;
    log_->error("job={} cannot be claimed, trying again in {} s: {}", core::number(job), refused_wait.count(), why.context);
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

void schedule_actor_state::forget_claims() {
  protocol::slot_release freed;
  for (const auto& [sequence, claim] : claims_)
    freed.slots.add(claim.slots.slots);
  claims_.clear();
  give_back(std::move(freed));
  report_drained();
}

} // namespace ringmaster::actors
