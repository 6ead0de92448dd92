// schedule_actor: definitions of jobs and their edits.

#include "actors/firing/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t jobs_page_size = 2000;

/// Small pages: sources have some kilobytes, some have megabytes.
constexpr std::size_t sources_page_size = 50;

struct jobs_page {
  /// Set with the first page of an incarnation: edits made while later pages are read have a higher revision and are read again.
  std::optional<std::int64_t> revision;
  std::vector<core::scheduled_job> jobs;
};

core::result<jobs_page> read_page(storage::store& store, const core::slot_set& wanted, core::job_id after, bool first) {
  jobs_page page;
  if (first) {
    auto revision = store.firings().last_revision();
    if (!revision)
      return tl::unexpected<core::error>{revision.error()};
    page.revision = *revision;
  }
  auto jobs = store.firings().load_jobs(wanted, after, jobs_page_size);
  if (!jobs)
    return tl::unexpected<core::error>{jobs.error()};
  page.jobs = std::move(*jobs);
  return page;
}

} // namespace

// -- definitions -----------------------------------------------------------------------------------------------------------

void schedule_actor_state::load_missing() {
  if (!incarnation_ || reads_.loading || missing_slots().none())
    return;
  reads_.loading = true;
  reads_.loading_slots = missing_slots();
  load(core::job_id{0});
}

// Jobs are planned as soon as they are read, and edits are polled meanwhile: the first page says from which revision on.
void schedule_actor_state::load(core::job_id after) {
  ask_store<jobs_page>(
    self_, partners_.storage,
    [wanted = reads_.loading_slots, after, first = !reads_.seen_revision](storage::store& store) {
      return read_page(store, wanted, after, first);
    },
    [this, after, generation = generation_](core::result<jobs_page>&& page) {
      if (generation != generation_)
        return;
      if (!page) {
        // The store failed during the read: begin again when it answers the next poll.
        log_->warn("reading jobs failed, retrying: {}", page.error().context);
        reads_.loading = false;
        reads_.next_poll = reads_.next_load = steady_now() + settings_.edit_poll;
        return arm();
      }
      if (page->revision) {
        reads_.seen_revision = reads_.polled_revision = *page->revision;
        reads_.polled_job = core::last_job_id;
        reads_.next_poll = steady_now() + settings_.edit_poll;
      }
      auto last = page->jobs.empty() ? after : page->jobs.back().spec->id;
      auto complete = page->jobs.size() < jobs_page_size;
      for (auto& job : page->jobs)
        put_loaded(std::move(job));
      if (complete)
        loaded();
      else
        load(last);
      work();
    });
}

// A slot that left meanwhile is not known, even if it came back.
void schedule_actor_state::loaded() {
  reads_.loading = false;
  reads_.known_slots |= std::exchange(reads_.loading_slots, {});
  if (missing_slots().any())
    return load_missing();
  log_->info("{} jobs loaded", book_.size());
  report_prepared();
  reads_.next_poll = steady_now();
}

// The poll may have brought a later edit of the job.
void schedule_actor_state::put_loaded(core::scheduled_job&& read) {
  const auto id = read.spec->id;
  if (const auto known = book_.revision_of(id); known && *known >= read.revision)
    return;
  if (reads_.loading_slots.test(core::slot_of(id)))
    put(std::move(read));
}

void schedule_actor_state::hear_hint() {
  reads_.poll_again = reads_.polling;
  poll_edits();
}

// In shared mode Java admins also edit, and count nothing. A counter that fell means that edits are gone.
void schedule_actor_state::take_pulse(const protocol::pending_work_update& update) {
  const auto t = steady_now();
  reads_.pulse_revision = update.found.revision;
  reads_.settled_revision = std::min(reads_.settled_revision, reads_.pulse_revision);
  const bool complete = reads_.are_complete();
  reads_.gate.take(shared_ || !complete || settings_.edit_poll < update.period, update.period, t);
  sweep_.take_pulse(update.found.has_intents, update.period, t);
  if (incarnation_ && !shared_ && !complete)
    hear_hint();
}

void schedule_actor_state::poll_due(steady t) {
  if (t >= reads_.next_poll) {
    if (reads_.are_complete() && missing_slots().none() && reads_.gate.skips(t))
      reads_.next_poll = t + settings_.edit_poll;
    else
      poll_edits();
  }
  if (!sweep_.is_due(t))
    return;
  if (sweep_.skip(t))
    guests_.clear();
  else
    poll_intents();
}

void schedule_actor_state::poll_edits() {
  if (!incarnation_ || reads_.polling)
    return;
  // A read under way is allowed to finish, however long it takes.
  if (steady_now() >= reads_.next_load)
    load_missing();
  reads_.next_poll = std::max(reads_.next_poll, steady_now() + settings_.edit_poll);
  if (!reads_.seen_revision)
    return;
  reads_.polling = true;
  reads_.asked_revision = reads_.pulse_revision;
  ask_store<std::vector<core::scheduled_job>>(
    self_, partners_.storage,
    [revision = reads_.polled_revision, job = reads_.polled_job](storage::store& store) {
      return store.firings().edits_since(revision, jobs_page_size, job);
    },
    [this, generation = generation_](core::result<std::vector<core::scheduled_job>>&& page) {
      if (generation != generation_)
        return;
      reads_.polling = false;
      if (page)
        take_edits(std::move(*page));
      if (std::exchange(reads_.poll_again, false))
        poll_edits();
      arm();
    });
}

// A page may end inside one edit's jobs: the last revision counts as seen only if the page is the last one.
void schedule_actor_state::take_edits(std::vector<core::scheduled_job>&& edits) {
  const auto full = edits.size() >= jobs_page_size;
  const auto begun = reads_.polled_job != core::last_job_id;
  if (!full)
    reads_.settled_revision = std::max(reads_.settled_revision, reads_.asked_revision);
  if (edits.empty() && !begun)
    return;
  if (!edits.empty()) {
    reads_.polled_revision = edits.back().revision;
    reads_.polled_job = edits.back().spec->id;
  }
  if (!full)
    reads_.polled_job = core::last_job_id;
  for (auto& job : edits)
    put(std::move(job));
  reads_.seen_revision = std::max(*reads_.seen_revision, full ? reads_.polled_revision - 1 : reads_.polled_revision);
  protocol::send(self_, partners_.registry, protocol::registry_hint{});
  if (full)
    poll_edits();
  else
    work();
}

void schedule_actor_state::put(core::scheduled_job&& read) {
  auto id = read.spec->id;
  // In shared mode Java admins also plan: only the definition is needed, for any slot.
  if (shared_)
    read.next.reset();
  else if (!slots_.test(core::slot_of(id)))
    return;
  if (const auto known = book_.revision_of(id); known && *known > read.revision)
    return;
  if (auto bad = book_.put(std::move(read)))
    log_->error("job={} cannot be planned: {}", core::number(bad->job), bad->reason);
}

void schedule_actor_state::read_sources(std::vector<core::job_id> jobs) {
  for (std::size_t i = 0; i < jobs.size(); i += sources_page_size) {
    const auto end = std::min(jobs.size(), i + sources_page_size);
    read_again({jobs.begin() + static_cast<std::ptrdiff_t>(i), jobs.begin() + static_cast<std::ptrdiff_t>(end)});
  }
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
        // Before its edit is seen, the job would lose every claim: the poll brings it.
        if (job.revision > reads_.seen_revision.value_or(0))
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

} // namespace ringmaster::actors
