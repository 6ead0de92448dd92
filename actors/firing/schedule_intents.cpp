// schedule_actor: intents, i.e. children, retries, and the instants that are reserved in shared mode.

#include "actors/firing/schedule_actor.hpp"

#include <algorithm>
#include <utility>

#include "storage/reservations.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Pages of a sweep that follow each other at once; the others wait for the next second. Most of a backlog is known already, and
// reading it again must not take the store from others.
constexpr std::size_t pages_at_once = 10;

} // namespace

void schedule_actor_state::poll_intents() {
  if (!sweep_.begin(steady_now()))
    return;
  if (!sweep_.reads_ahead() && sweep_.is_at_start())
    guests_.clear();
  read_intents(pages_at_once);
}

// The read ahead has no limit of pages; the sweep that follows it has.
void schedule_actor_state::read_intents(std::size_t pages) {
  const auto search = sweep_.next_page(now());
  ask_store<std::vector<core::intent>>(
    self_, partners_.storage, [search](storage::store& store) { return store.firings().waiting_intents(search); },
    [this, search, pages, generation = generation_](core::result<std::vector<core::intent>>&& page) {
      if (generation != generation_)
        return;
      const bool more = page && sweep_.move(search, *page);
      if (page) {
        sweep_.drop_claimed(*page); // since they were read
        take_intents(std::move(*page));
      }
      if (page && search.reserved_only)
        return read_intents(pages_at_once);
      if (more && pages > 1 && !sweep_.reads_ahead())
        return read_intents(pages - 1);
      sweep_.end();
      arm();
    });
}

void schedule_actor_state::take_intents(std::vector<core::intent>&& intents) {
  if (!incarnation_)
    return; // still in the store: a node with an incarnation sweeps them
  if (intents_.add(std::move(intents), steady_now()))
    work();
}

// At most half a request, so that many children do not delay the schedules; in shared mode all runs are intents.
std::vector<protocol::route_candidate> schedule_actor_state::next_intents() {
  intents_.take_due(steady_now());
  settle_missed();
  std::vector<core::intent> unknown;
  auto ready = intents_.take_ready(shared_ ? settings_.claim_rows_max : std::max<std::size_t>(1, settings_.claim_rows_max / 2));
  std::vector<protocol::route_candidate> known;
  for (auto& intent : ready)
    if (auto spec = definition_of(intent.job))
      known.push_back({std::move(spec), std::nullopt, std::move(intent), generation_});
    else
      unknown.push_back(std::move(intent));
  if (!unknown.empty())
    route_unknown(std::move(unknown));
  return known;
}

core::job_ptr schedule_actor_state::definition_of(core::job_id job) const {
  if (auto spec = book_.find(job); spec && !spec->source_left_out)
    return spec;
  const auto guest = guests_.find(core::number(job));
  return guest != guests_.end() ? guest->second : nullptr;
}

// Decides about all missed intents together, however many are claimed at once: all that a job has missed is one misfire.
void schedule_actor_state::settle_missed() {
  if (auto all = intents_.take_all_if_missed(steady_now()); !all.empty())
    intents_.put_back(apply_misfire_policy(std::move(all)));
}

// Decides about reserved instants that are misfires by now; also in native mode, where a takeover found them. An instant of an
// unknown job is decided when the job is known.
std::vector<core::intent> schedule_actor_state::apply_misfire_policy(std::vector<core::intent>&& ready) {
  auto settled = intents_.decide(std::move(ready), steady_now(), [this](core::job_id job) { return definition_of(job); });
  if (settled.drop.empty())
    return std::move(settled.go_on);
  ask_store<core::drop_outcome>(
    self_, partners_.storage,
    [incarnation = *incarnation_, instants = settled.drop](storage::store& store) -> core::result<core::drop_outcome> {
      auto* shared = store.reservations();
      return shared ? shared->drop(incarnation, instants) : core::drop_outcome{};
    },
    [this, instants = settled.drop, generation = generation_](core::result<core::drop_outcome>&& done) {
      if (done) // else the next incarnation counts them
        count_dropped(*done);
      if (generation == generation_) // else all was forgotten, and a sweep may have queued them again
        intents_.forget_dropped(instants);
    });
  return std::move(settled.go_on);
}

// Only what this call dropped: another node may have decided about the same instants first, and counted them.
void schedule_actor_state::count_dropped(const core::drop_outcome& outcome) {
  add(metrics_.dropped, outcome.dropped);
  add(metrics_.merged, outcome.merged);
  if (const auto all = outcome.dropped + outcome.merged; all > 0)
    log_->warn("{} reserved instants were missed; {} of them were dropped by their jobs' misfire policy, {} are replaced by one "
               "late run of each job",
               all, outcome.dropped, outcome.merged);
}

// Reads the jobs of these intents: they are not in this node's slots, are gone, or were edited since they were read.
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
            forget(intent); // the sweep brings it back
        return;
      }
      route_read(std::move(intents), std::move(*found));
    });
}

void schedule_actor_state::route_read(std::vector<core::intent>&& intents, std::vector<core::scheduled_job>&& found) {
  std::unordered_map<std::int32_t, core::job_ptr> known;
  for (auto& job : found) {
    known.emplace(core::number(job.spec->id), job.spec);
    if (shared_)
      put(std::move(job)); // a Java admin created or edited it without notifying this node
    else
      guests_.insert_or_assign(core::number(job.spec->id), job.spec);
  }
  const auto accounted = intents.size();
  intents = apply_misfire_policy(std::move(intents));
  routing_ -= std::min(routing_, accounted - intents.size());
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
  if (!request.candidates.empty())
    protocol::send(self_, partners_.pool, std::move(request));
}

// The intent is claimed, or a node will find it again.
void schedule_actor_state::forget(const core::intent& intent) {
  sweep_.claimed(intent);
  intents_.forget(intent);
}

// Handles the intents that a claim did not take as planned.
void schedule_actor_state::take_refused_intents(const pending_claim& pending, const core::claim_outcome& outcome) {
  for (auto id : outcome.dropped_intents)
    for (const auto& intent : pending.intents)
      if (intent.id == id)
        log_->info("job={} the instant {} was dropped: the job was stopped, rescheduled or reset after the reservation",
                   core::number(intent.job), core::to_ms(intent.fire_at));
  metrics_.unreserved->inc(static_cast<std::int64_t>(outcome.dropped_intents.size()));
  std::vector<core::intent> stale;
  if (pending.generation == generation_)
    for (auto id : outcome.stale_intents)
      for (const auto& intent : pending.intents)
        if (intent.id == id && intents_.admit(intent))
          stale.push_back(intent);
  if (!stale.empty())
    route_unknown(std::move(stale));
}

} // namespace ringmaster::actors
