// Edits of elastic jobs, and results in the inbox.

#include <algorithm>
#include <utility>

#include "actors/elastic/director_store.hpp"
#include "actors/elastic/elastic_director.hpp"

namespace ringmaster::actors {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t edits_page_size = 500;
/// Jobs with results in the inbox that one poll returns. Those of other nodes count, too.
constexpr std::size_t heard_jobs_max = 10'000;

} // namespace

void elastic_director_state::take_pulse(const protocol::pending_work_update& update) {
  const bool is_first = gate_.is_quiet(now());
  const bool found = !edits_.is_complete() || update.found.revision != *edits_.seen || update.found.has_results;
  gate_.take(found || parts_.edit_poll < update.period, update.period, now());
  if (!found || !is_first)
    return;
  edits_.next = now();
  arm();
}

void elastic_director_state::poll_due() {
  if (edits_.is_complete() && gate_.skips(now()))
    edits_.next = now() + parts_.edit_poll;
  else
    poll_edits();
}

// Not while jobs are being adopted: what is read then may be older than an edit.
void elastic_director_state::poll_edits() {
  if (!life_ || edits_.polling || loading_)
    return;
  edits_.polling = true;
  edits_.next = now() + parts_.edit_poll;
  ask<edits_page>(
    [seen = edits_.seen, job = edits_.job, active = active_](storage::store& store) -> core::result<edits_page> {
      auto revision = store.elastic().last_revision();
      if (!revision)
        return tl::unexpected<core::error>{std::move(revision.error())};
      edits_page page{*revision, {}, {}};
      if (active) {
        auto heard = store.elastic().jobs_with_results(heard_jobs_max);
        if (!heard)
          return tl::unexpected<core::error>{std::move(heard.error())};
        page.heard = std::move(*heard);
      }
      if (seen && *seen == page.revision && core::number(job) == core::number(core::last_job_id))
        return page;
      // At first it counts only whether there is a job at all.
      auto notes = seen ? store.elastic().edits_since(*seen, job, edits_page_size) : store.elastic().edits_since(0, {}, 1);
      if (!notes)
        return tl::unexpected<core::error>{std::move(notes.error())};
      page.notes = std::move(*notes);
      return page;
    },
    [this](core::result<edits_page>&& page) { edits_read(std::move(page)); });
}

void elastic_director_state::edits_read(core::result<edits_page>&& page) {
  edits_.polling = false;
  if (!page)
    return arm();
  active_ = active_ || !page->notes.empty();
  const bool full = edits_.seen && page->notes.size() >= edits_page_size;
  if (full) {
    edits_.seen = page->notes.back().revision;
    edits_.job = page->notes.back().id;
    edits_.next = now();
  } else {
    if (edits_.seen)
      page->revision = std::max(page->revision, page->notes.empty() ? std::int64_t{0} : page->notes.back().revision);
    const bool first = !std::exchange(edits_.seen, page->revision);
    edits_.job = core::elastic::elastic_job_id{core::number(core::last_job_id)};
    if (first)
      page->notes.clear();
  }
  for (const auto& note : page->notes)
    take_edit(note);
  // The reading of a job includes its results.
  for (const auto job : page->heard)
    if (const auto found = jobs_.find(core::number(job)); found != jobs_.end())
      protocol::send(self_, found->second.actor, protocol::elastic_job_change{.removed = false});
  take_leases();
  arm();
}

void elastic_director_state::take_edit(const core::elastic::elastic_edit_note& note) {
  const auto key = core::number(note.id);
  if (const auto found = jobs_.find(key); found != jobs_.end()) {
    show_hosts(found->second);
    return protocol::send(self_, found->second.actor, protocol::elastic_job_change{.removed = !note.job});
  }
  const auto* const held = slot_of(key);
  if (note.job && held != nullptr && held->is_served())
    read_new(note.id);
}

void elastic_director_state::read_new(core::elastic::elastic_job_id job) {
  ask<core::elastic::adopted_job>([job](storage::store& store) { return store.elastic().read_job(job); },
                                  [this, job](core::result<core::elastic::adopted_job>&& found) {
                                    if (found)
                                      return add(std::move(*found));
                                    if (found.error().code == core::errc::not_found)
                                      return;
                                    // Its slot is read again.
                                    if (auto* const held = slot_of(core::number(job)))
                                      held->loaded = false;
                                    next_lease_ = now() + lease_pause;
                                    arm();
                                  });
}

} // namespace ringmaster::actors
