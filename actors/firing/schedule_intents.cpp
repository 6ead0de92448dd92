// schedule_actor: intents, i.e. children, retries, and the instants that are reserved in shared mode.

#include "actors/firing/schedule_actor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/schedule/misfire.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t intents_page_size = 2000;
// Age from which any node may claim an intent (firing protocol §3).
constexpr auto intent_age = 1s;
// Pages of a sweep that follow each other at once; the others wait for the next second. Most of a backlog is known already, and
// reading it again must not take the store from others.
constexpr std::size_t pages_at_once = 10;
// A new incarnation takes over the instants that an earlier one reserved, up to the longest lead; there may be a burst of them.
constexpr auto reserved_ahead = 10s;

} // namespace

// Sweeps from the oldest to the youngest, page by page, and begins again: blocked intents at the front hide no others.
void schedule_actor_state::poll_intents() {
  if (sweeping_)
    return;
  sweeping_ = true;
  next_intent_poll_ = steady_now() + intent_age;
  if (ahead_)
    return look_ahead();
  if (swept_ == core::intent_place{})
    guests_.clear();
  sweep(pages_at_once);
}

void schedule_actor_state::sweep(std::size_t pages) {
  claimed_meanwhile_.clear();
  core::intent_search search{.created_before = now() - intent_age, .limit = intents_page_size, .after = swept_};
  ask_store<std::vector<core::intent>>(
    self_, partners_.storage, [search](storage::store& store) { return store.firings().waiting_intents(search); },
    [this, search, pages, generation = generation_](core::result<std::vector<core::intent>>&& page) {
      if (generation != generation_)
        return;
      const bool more = page && !page->empty();
      if (page && swept_ == search.after) // else the sweep begins again
        swept_ = more ? core::place_of(page->back()) : core::intent_place{};
      if (page)
        take_page(std::move(*page));
      if (more && pages > 1 && !ahead_)
        return sweep(pages - 1);
      sweeping_ = false;
      arm();
    });
}

// A young intent that is not an instant belongs to the node that wrote it; an older one is swept.
void schedule_actor_state::look_ahead() {
  claimed_meanwhile_.clear();
  core::intent_search search{.created_before = now() + reserved_ahead, .limit = intents_page_size, .after = *ahead_,
                             .reserved_only = true};
  search.after.created_at = std::max(search.after.created_at, now() - intent_age);
  ask_store<std::vector<core::intent>>(
    self_, partners_.storage, [search](storage::store& store) { return store.firings().waiting_intents(search); },
    [this, begun = *ahead_, generation = generation_](core::result<std::vector<core::intent>>&& page) {
      if (generation != generation_)
        return;
      if (!page) {
        sweeping_ = false;
        return arm();
      }
      const bool more = !page->empty();
      if (ahead_ == begun) // else the read begins again
        ahead_ = more ? std::optional{core::place_of(page->back())} : std::nullopt;
      take_page(std::move(*page));
      if (ahead_)
        look_ahead();
      else
        sweep(pages_at_once);
    });
}

// Some of the intents may have been claimed since they were read.
void schedule_actor_state::take_page(std::vector<core::intent>&& page) {
  std::erase_if(page, [this](const core::intent& intent) { return claimed_meanwhile_.contains(core::number(intent.id)); });
  take_intents(std::move(page));
}

void schedule_actor_state::take_intents(std::vector<core::intent>&& intents) {
  if (!life_)
    return; // still in the store: a node with an incarnation sweeps them
  bool any = false;
  for (auto& intent : intents)
    if (intents_known_.emplace(core::number(intent.id), intent.kind).second) {
      wait_for(std::move(intent));
      any = true;
    }
  if (any)
    work();
}

// A reserved instant is claimed shortly before its time, like any other; all else runs at once.
void schedule_actor_state::wait_for(core::intent&& intent) {
  const auto early = intent.fire_at - settings_.claim_ahead;
  if (core::is_reserved(intent.kind) && early > now())
    deferred_intents_.push(clock_.when(early), std::move(intent));
  else
    intents_.push_back(std::move(intent));
}

void schedule_actor_state::take_due_intents() {
  for (auto& intent : deferred_intents_.take_due(steady_now()))
    wait_for(std::move(intent)); // the civil clock may have been set back
}

// Takes from both kinds if more are ready than fit: a kind is not skipped in a pass because the other one was due a moment
// earlier.
std::vector<core::intent> schedule_actor_state::take_ready(std::size_t room) {
  const auto is_instant = [](const core::intent& intent) { return core::is_reserved(intent.kind); };
  std::size_t instants = 0;
  if (intents_.size() > room)
    instants = static_cast<std::size_t>(std::count_if(intents_.begin(), intents_.end(), is_instant));
  std::vector<core::intent> ready;
  if (instants == 0 || instants == intents_.size()) {
    const auto end = intents_.begin() + static_cast<std::ptrdiff_t>(std::min(room, intents_.size()));
    ready.assign(std::make_move_iterator(intents_.begin()), std::make_move_iterator(end));
    intents_.erase(intents_.begin(), end);
    return ready;
  }
  auto others_left = std::min(intents_.size() - instants, room - std::min(instants, room / 2));
  auto instants_left = std::min(instants, room - others_left);
  for (auto& intent : std::exchange(intents_, {})) {
    auto& left = is_instant(intent) ? instants_left : others_left;
    if (left == 0) {
      intents_.push_back(std::move(intent));
    } else {
      --left;
      ready.push_back(std::move(intent));
    }
  }
  return ready;
}

// At most half a request, so that many children do not delay the schedules; in shared mode all runs are intents.
std::vector<protocol::route_candidate> schedule_actor_state::next_intents() {
  take_due_intents();
  settle_missed();
  std::vector<core::intent> unknown;
  auto ready = take_ready(shared_ ? settings_.claim_rows_max : std::max<std::size_t>(1, settings_.claim_rows_max / 2));
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
  if (std::none_of(intents_.begin(), intents_.end(), [this, t = now()](const core::intent& intent) {
        return core::needs_misfire_decision(intent, t, settings_.misfire_after, misfires_);
      }))
    return;
  std::vector<core::intent> all{std::make_move_iterator(intents_.begin()), std::make_move_iterator(intents_.end())};
  intents_.clear();
  for (auto& intent : apply_misfire_policy(std::move(all)))
    intents_.push_back(std::move(intent));
}

// Decides about reserved instants that are misfires by now; also in native mode, where a takeover found them. An instant of an
// unknown job is decided when the job is known.
std::vector<core::intent> schedule_actor_state::apply_misfire_policy(std::vector<core::intent>&& ready) {
  auto settled = core::apply_misfire_policy(std::move(ready), now(), settings_.misfire_after,
                                   [this](core::job_id job) { return definition_of(job); }, misfires_);
  if (settled.drop.empty())
    return std::move(settled.go_on);
  ask_store<void>(
    self_, partners_.storage,
    [life = *life_, instants = settled.drop](storage::store& store) -> core::result<void> {
      auto* shared = store.reservations();
      return shared ? shared->drop(life, instants) : core::result<void>{};
    },
    [this, instants = settled.drop, by_policy = settled.dropped_by_policy](core::result<void>&& done) {
      if (done) { // else the next incarnation counts them
        dropped_count_->inc(static_cast<std::int64_t>(by_policy));
        log_->warn("{} reserved instants were missed; {} of them were dropped by their jobs' misfire policy, the others run once",
                   instants.size(), by_policy);
      }
      for (const auto& one : instants) { // the sweep brings back what was not dropped
        intents_known_.erase(core::number(one.id));
        put_off_.erase(core::number(one.id));
      }
    });
  return std::move(settled.go_on);
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

// Intents that once found no room at their executors are not counted. A misfire waits since it was decided.
core::milliseconds schedule_actor_state::reserved_lateness() {
  take_due_intents();
  const auto t = now();
  core::milliseconds late{0};
  for (const auto& intent : intents_)
    if (core::is_reserved(intent.kind) && !put_off_.contains(core::number(intent.id)))
      late = std::max(late, t - intent.fire_at);
  return late;
}

// The intent is claimed, or a node will find it again.
void schedule_actor_state::forget(const core::intent& intent) {
  if (sweeping_)
    claimed_meanwhile_.insert(core::number(intent.id));
  intents_known_.erase(core::number(intent.id));
  put_off_.erase(core::number(intent.id));
  if (const auto found = misfires_.find(intent.job); found != misfires_.end() && found->second == intent.id)
    misfires_.erase(found);
}

// Handles the intents that a claim did not take as planned.
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
        if (intent.id == id && intents_known_.emplace(core::number(id), intent.kind).second)
          stale.push_back(intent);
  if (!stale.empty())
    route_unknown(std::move(stale));
}

} // namespace ringmaster::actors
