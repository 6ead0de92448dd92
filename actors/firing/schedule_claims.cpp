// schedule_actor: claims, and the evaluation of their answers.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "actors/firing/schedule_actor.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Wait of a job whose claim the store refuses.
constexpr auto refused_wait = std::chrono::seconds{60};
// Interval between two log lines about rows that other transactions hold.
constexpr auto lock_warning_period = std::chrono::seconds{10};

using job_numbers = std::unordered_set<std::int32_t>;

job_numbers numbers_of(const std::vector<core::job_id>& some, const std::vector<core::job_id>& others) {
  job_numbers out;
  for (const auto* each : {&some, &others})
    for (auto id : *each)
      out.insert(core::number(id));
  return out;
}

} // namespace

void schedule_actor_state::claim_routed() {
  drop_stale_routes();
  if (routed_.empty() || claims_.size() >= claims_in_flight_max)
    return;
  core::claim_batch batch{.owner = *incarnation_,
                          .sequence = claims_.next_sequence(),
                          .seen_revision = reads_.seen_revision.value_or(0),
                          .moves = {},
                          .runs = {},
                          .node_host = node_host_,
                          .shared = shared_};
  pending_claim pending{.generation = generation_};
  auto end = routed_.begin() + static_cast<std::ptrdiff_t>(std::min(routed_.size(), claims_.jobs_max()));
  for (auto job = routed_.begin(); job != end; ++job) {
    if (job->candidate.plan) {
      const auto& plan = *job->candidate.plan;
      auto& move = batch.moves.emplace_back(core::schedule_move{plan.id, plan.expected_next, plan.last, plan.next});
      if (plan.dropped > 0 && !shared_) {
        move.last = plan.last_dropped;
        move.missed = gap_of(plan, job->candidate.spec);
      }
      pending.specs.push_back(job->candidate.spec);
      pending.dropped.push_back(plan.dropped);
      pending.merged.push_back(plan.merged);
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
  claims_.add(batch.sequence, std::move(pending));
  protocol::send(self_, partners_.storage, protocol::claim_request{std::move(batch), protocol::claim_listener{self_}});
}

core::missed_gap schedule_actor_state::gap_of(const core::job_plan& plan, const core::job_ptr& spec) const {
  core::missed_gap gap{spec, {plan.dropped, plan.expected_next, plan.last_dropped}, {}};
  const auto said = [this](core::time_point t) { return where_.format(t); };
  gap.reason = plan.dropped == 1 ? "1 instant was missed, " + said(gap.what.first)
                                 : std::to_string(plan.dropped) + " instants were missed, from " + said(gap.what.first) + " to "
                                     + said(gap.what.last);
  const auto late = std::chrono::duration_cast<std::chrono::seconds>(now() - gap.what.first).count();
  gap.reason += gap.what.first < planning_since_
                  ? ": this server began to plan the job at " + said(planning_since_) + " " + where_.name()
                  : ": the job was planned " + std::to_string(late) + " s late";
  gap.reason += spec->misfire == core::misfire_policy::do_nothing ? "; misfire policy DO_NOTHING drops instants later than "
                                                                      + std::to_string(settings_.misfire_after.count()) + " ms"
                                                                  : "; the job's end_at has passed";
  return gap;
}

void schedule_actor_state::take_claim(protocol::claim_reply&& reply) {
  auto found = claims_.take(reply.sequence);
  if (!found)
    return take_former(reply);
  auto pending = std::move(*found);
  report_drained();
  if (!reply.outcome)
    return refused(std::move(pending), reply.outcome.error());
  claims_.raise(settings_.claim_rows_max);
  auto& outcome = *reply.outcome;
  count_dropped(pending, outcome);
  for (const auto& intent : pending.intents)
    forget(intent);
  take_refused_intents(pending, outcome);
  put_off_locked(pending, outcome);
  auto lost = std::move(outcome.lost_races);
  add(metrics_.lost, lost.size());
  if (outcome.repeated) // only the first answer names the moves that lost, and that answer was lost
    for (const auto& move : pending.moves)
      lost.push_back(move.job);
  take_moves(pending, lost, outcome.locked_jobs);
  for (const auto& run : outcome.runs)
    pending.slots.slots.take_off(run.plan);
  give_back(std::move(pending.slots));
  add(metrics_.claimed, outcome.runs.size());
  if (!outcome.runs.empty())
    protocol::send(self_, partners_.ring, protocol::firing_batch{std::move(outcome.runs)});
  read_again(std::move(lost));
  report_finished();
  work();
}

void schedule_actor_state::take_former(const protocol::claim_reply& reply) {
  const auto former = claims_.take_former(reply.sequence);
  if (former && reply.outcome)
    count_dropped(*former, *reply.outcome);
}

void schedule_actor_state::count_dropped(const pending_claim& pending, const core::claim_outcome& outcome) {
  const auto not_moved = outcome.repeated ? job_numbers{} : numbers_of(outcome.lost_races, outcome.locked_jobs);
  for (std::size_t i = 0; i < pending.moves.size(); ++i)
    if (pending.dropped[i] + pending.merged[i] > 0 && !not_moved.contains(core::number(pending.moves[i].job))) {
      add(metrics_.dropped, pending.dropped[i]);
      add(metrics_.merged, pending.merged[i]);
    }
  for (const auto& row : outcome.missed)
    log_->warn("job={} {} instants were missed and dropped by its misfire policy: run={}", core::number(row.job),
               row.what.count, core::number(row.id));
}

void schedule_actor_state::take_moves(const pending_claim& pending, const std::vector<core::job_id>& lost,
                                      const std::vector<core::job_id>& locked) {
  const auto not_moved = numbers_of(lost, locked);
  for (std::size_t i = 0; i < pending.moves.size(); ++i) {
    const auto& move = pending.moves[i];
    if (!move.next && !not_moved.contains(core::number(move.job)))
      log_->info("job={} stopped: its schedule never fires again", core::number(move.job));
    if (!not_moved.contains(core::number(move.job)))
      locked_.jobs.done(core::number(move.job));
    // A job that was read since then is newer, or loses its next claim.
    if (!not_moved.contains(core::number(move.job)) && book_.find(move.job) == pending.specs[i])
      book_.moved(move.job, move.next, move.last);
  }
}

// Jobs whose rows another transaction holds stay due: only they are late, and they are retried at growing intervals. If a server
// does not name these rows, the claims get smaller until such a job is alone.
void schedule_actor_state::put_off_locked(const pending_claim& pending, const core::claim_outcome& outcome) {
  const auto count = outcome.locked_jobs.size() + outcome.locked_intents.size();
  if (count == 0)
    return;
  metrics_.locked->inc(static_cast<std::int64_t>(count));
  const bool halve = outcome.locked_as_one && count > 1;
  if (halve)
    claims_.lower(count);
  if (!halve && steady_now() >= locked_.next_warning) {
    locked_.next_warning = steady_now() + lock_warning_period;
    log_->warn("{} jobs and {} runs that wait cannot be claimed now: another transaction holds their rows; retrying",
               outcome.locked_jobs.size(), outcome.locked_intents.size());
  }
  if (pending.generation != generation_)
    return; // the jobs were read again, and the sweep brings the intents back
  for (const auto job : outcome.locked_jobs)
    look_again(job, halve ? core::milliseconds{0} : locked_.jobs.next(core::number(job)));
  std::unordered_set<std::int64_t> locked;
  for (const auto id : outcome.locked_intents)
    locked.insert(core::number(id));
  for (const auto& intent : pending.intents) {
    const auto id = core::number(intent.id);
    if (!locked.contains(id)) {
      locked_.intents.done(id);
    } else if (intents_.admit(intent)) {
      if (halve)
        intents_.defer(core::intent{intent}, steady_now());
      else // it waits for its lock: claims are not late
        intents_.put_off(core::intent{intent}, steady_now() + locked_.intents.next(id));
    }
  }
}

// The claim was rolled back. The store would refuse it again, so smaller claims follow at once, until the refused job is alone;
// it then waits, so that it does not delay the others.
void schedule_actor_state::refused(pending_claim&& pending, const core::error& why) {
  give_back(std::move(pending.slots));
  auto jobs = pending.moves.size() + pending.intents.size();
  auto fenced = why.code == core::errc::fenced;
  auto wait = fenced ? core::milliseconds{1s} : core::milliseconds{0};
  if (!fenced && jobs == 1) {
    auto job = pending.moves.empty() ? pending.intents.front().job : pending.moves.front().job;
    log_->error("job={} cannot be claimed, retrying in {} s: {}", core::number(job), refused_wait.count(), why.context);
    wait = refused_wait;
  } else if (!fenced) {
    claims_.lower(jobs);
  }
  if (pending.generation != generation_) {
    for (const auto& intent : pending.intents)
      forget(intent); // the sweep brings them back; the jobs were read again
    return;
  }
  for (const auto& move : pending.moves)
    look_again(move.job, wait);
  for (auto& intent : pending.intents)
    intents_.defer(std::move(intent), steady_now() + wait);
  work();
}

void schedule_actor_state::forget_claims() {
  give_back(claims_.end_incarnation());
  report_drained();
}

} // namespace ringmaster::actors
