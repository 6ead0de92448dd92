// What schedule_actor does about intents: children, retries, and the instants that are reserved in shared mode.

#include "actors/admin/schedule_actor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/late_instants.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t intents_page_size = 2000;
// An intent that nobody took for this long is everybody's (firing protocol §3).
constexpr auto intent_age = 1s;
// A new life takes over what a former one reserved, as far as that can reach; there may be a burst of it.
constexpr auto reserved_ahead = 10s;
constexpr std::size_t reserved_page = 50'000;

core::result<std::vector<core::intent>> read_waiting(storage::store& store, core::time_point now, bool ahead) {
  auto found = store.firings().waiting_intents(now - intent_age, intents_page_size);
  if (!found || !ahead)
    return found;
  auto early = store.firings().waiting_intents(now + reserved_ahead, reserved_page);
  if (!early)
    return early;
  // What is young and no instant belongs to whoever wrote it.
  std::copy_if(std::make_move_iterator(early->begin()), std::make_move_iterator(early->end()), std::back_inserter(*found),
               [](const core::intent& intent) { return core::is_reserved(intent.kind); });
  return found;
}

} // namespace

void schedule_actor_state::poll_intents() {
  next_intent_poll_ = steady_now() + intent_age;
  guests_.clear();
  const auto ahead = std::exchange(look_ahead_, false);
  ask_store<std::vector<core::intent>>(
    self_, partners_.storage, [now = now(), ahead](storage::store& store) { return read_waiting(store, now, ahead); },
    [this, ahead, generation = generation_](core::result<std::vector<core::intent>>&& found) {
      if (generation != generation_)
        return;
      if (found)
        take_intents(std::move(*found));
      else
        look_ahead_ = look_ahead_ || ahead;
    });
}

void schedule_actor_state::take_intents(std::vector<core::intent>&& intents) {
  if (!life_)
    return; // still in the store: whoever has a life sweeps them
  for (auto& intent : intents)
    if (intents_known_.insert(core::number(intent.id)).second)
      wait_for(std::move(intent));
  work();
}

// A reserved instant is claimed shortly before its time, as any other; what is to run at once goes on now.
void schedule_actor_state::wait_for(core::intent&& intent) {
  const auto early = intent.fire_at - settings_.claim_ahead;
  if (core::is_reserved(intent.kind) && early > now())
    deferred_intents_.push(clock_.when(early), std::move(intent));
  else
    intents_.push_back(std::move(intent));
}

// At most half a request, so that the children of a busy night do not keep the schedules waiting; in shared mode there are no
// others.
std::vector<protocol::route_candidate> schedule_actor_state::next_intents() {
  for (auto& intent : deferred_intents_.take_due(steady_now()))
    wait_for(std::move(intent)); // the civil clock may have been set back
  settle_missed();
  std::vector<core::intent> unknown, ready;
  auto room = shared_ ? settings_.claim_rows_max : std::max<std::size_t>(1, settings_.claim_rows_max / 2);
  for (; room > 0 && !intents_.empty(); --room) {
    ready.push_back(std::move(intents_.front()));
    intents_.pop_front();
  }
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
  if (auto spec = book_.find(job))
    return spec;
  const auto guest = guests_.find(core::number(job));
  return guest != guests_.end() ? guest->second : nullptr;
}

// All of them together, however many are claimed at once: what a job has missed is one misfire.
void schedule_actor_state::settle_missed() {
  const auto too_early = now() - settings_.misfire_after;
  if (std::none_of(intents_.begin(), intents_.end(), [&](const core::intent& intent) {
        return intent.kind == core::trigger_kind::cron && intent.fire_at < too_early;
      }))
    return;
  std::vector<core::intent> all{std::make_move_iterator(intents_.begin()), std::make_move_iterator(intents_.end())};
  intents_.clear();
  for (auto& intent : settle_late(std::move(all)))
    intents_.push_back(std::move(intent));
}

// Reserved instants that are misfires by now; in native mode, too, where they are what a takeover found. One of a job that is
// not known yet is decided when it is.
std::vector<core::intent> schedule_actor_state::settle_late(std::vector<core::intent>&& ready) {
  auto settled = core::settle_late(std::move(ready), now(), settings_.misfire_after,
                                   [this](core::job_id job) { return definition_of(job); });
  if (settled.drop.empty())
    return std::move(settled.go_on);
  dropped_count_->inc(static_cast<std::int64_t>(settled.dropped_by_policy));
  log_->warn("{} reserved instants were missed; {} of them are dropped by their jobs' misfire policy, the others run once",
             settled.drop.size(), settled.dropped_by_policy);
  ask_store<void>(
    self_, partners_.storage,
    [life = *life_, ids = settled.drop](storage::store& store) -> core::result<void> {
      auto* shared = store.reservations();
      return shared ? shared->drop(life, ids) : core::result<void>{};
    },
    [this, ids = settled.drop](core::result<void>&&) {
      for (auto id : ids)
        intents_known_.erase(core::number(id)); // the sweep brings back what was not dropped
    });
  return std::move(settled.go_on);
}

// Their jobs are not in this node's slots, or are gone, or were edited since they were read: read for these runs.
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
      route_read(std::move(intents), std::move(*found));
    });
}

void schedule_actor_state::route_read(std::vector<core::intent>&& intents, std::vector<core::scheduled_job>&& found) {
  std::unordered_map<std::int32_t, core::job_ptr> known;
  for (auto& job : found) {
    known.emplace(core::number(job.spec->id), job.spec);
    if (shared_)
      put(std::move(job)); // a Java admin made or edited it, and tells nobody
    else
      guests_.insert_or_assign(core::number(job.spec->id), job.spec);
  }
  const auto accounted = intents.size();
  intents = settle_late(std::move(intents));
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

// Those of a claim that did not go on as they were planned.
void schedule_actor_state::take_refused_intents(const pending_claim& pending, const core::claim_outcome& outcome) {
  for (auto id : outcome.dropped_intents)
    for (const auto& intent : pending.intents)
      if (intent.id == id)
        log_->info("job {}: the instant {} was dropped: the job was stopped, rescheduled or put back since it was reserved",
                   core::number(intent.job), core::to_ms(intent.fire_at));
  unreserved_count_->inc(static_cast<std::int64_t>(outcome.dropped_intents.size()));
  std::vector<core::intent> stale;
  if (pending.generation == generation_)
    for (auto id : outcome.stale_intents)
      for (const auto& intent : pending.intents)
        if (intent.id == id && intents_known_.insert(core::number(id)).second)
          stale.push_back(intent);
  if (!stale.empty())
    route_unknown(std::move(stale));
}

} // namespace ringmaster::actors
