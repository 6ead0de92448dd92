// What schedule_actor knows of jobs: definitions and their edits.

#include "actors/admin/schedule_actor.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t jobs_page_size = 2000;

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
  auto jobs = store.firings().load_jobs(wanted, after, jobs_page_size);
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
      auto complete = page->jobs.size() < jobs_page_size;
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
    [seen = seen_revision_](storage::store& store) { return store.firings().edits_since(seen, jobs_page_size); },
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
  auto full = edits.size() >= jobs_page_size;
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
  // In shared mode the schedule is not ours: only the definition is of use, whoever's slot it is.
  if (shared_)
    read.next.reset();
  else if (!slots_.test(core::slot_of(id)))
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

} // namespace ringmaster::actors
