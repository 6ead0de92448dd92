// What schedule_actor knows of jobs: definitions and their edits, and the intents of runs that no schedule makes.

#include "actors/admin/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t page_size = 2000;
// An intent that nobody took for this long is everybody's (firing protocol §3).
constexpr auto intent_age = 1s;

struct jobs_page {
  /// Of the first page only: whatever is edited while later pages are read is above it, and read once more.
  std::optional<std::int64_t> revision;
  std::vector<core::scheduled_job> jobs;
};

core::result<jobs_page> read_page(storage::store& store, const core::slot_set& wanted, core::job_id after) {
  jobs_page page;
  if (after == core::job_id{0}) {
    auto revision = store.firings().last_revision();
    if (!revision)
      return tl::unexpected<core::error>{revision.error()};
    page.revision = *revision;
  }
  auto jobs = store.firings().load_jobs(wanted, after, page_size);
  if (!jobs)
    return tl::unexpected<core::error>{jobs.error()};
  page.jobs = std::move(*jobs);
  return page;
}

} // namespace

// -- definitions -----------------------------------------------------------------------------------------------------------

void schedule_actor_state::load(core::slot_set wanted, core::job_id after, std::int64_t generation) {
  loading_ = true;
  ask_store<jobs_page>(
    self_, partners_.storage, [wanted, after](storage::store& store) { return read_page(store, wanted, after); },
    [this, wanted, after, generation](core::result<jobs_page>&& page) {
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
      if (page->revision)
        seen_revision_ = *page->revision;
      auto last = page->jobs.empty() ? after : page->jobs.back().spec->id;
      auto complete = page->jobs.size() < page_size;
      for (auto& job : page->jobs)
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
  if (full && first == last) {
    // One edit of more jobs than a page: everything is read again, as it was after that edit or later.
    forget_jobs();
    seen_revision_ = last;
    protocol::send(self_, partners_.registry, protocol::registry_hint{});
    return load(slots_, core::job_id{0}, generation_);
  }
  for (auto& job : edits)
    put(std::move(job));
  if (full)
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
    log_->error("job={} cannot be planned: {}", core::number(bad->job), bad->reason);
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
          look_again(id, 1s);
        return arm();
      }
      std::unordered_set<std::int32_t> alive;
      auto unseen = false;
      for (auto& job : *found) {
        alive.insert(core::number(job.spec->id));
        // Before its edit is seen it would lose every claim: the poll brings it.
        if (job.revision > seen_revision_)
          unseen = true;
        else
          put(std::move(job));
      }
      for (auto id : *asked)
        if (!alive.contains(core::number(id)))
          book_.erase(id);
      if (unseen)
        poll_edits();
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

} // namespace ringmaster::actors
