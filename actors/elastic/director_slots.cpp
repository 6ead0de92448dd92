// elastic_director: incarnations, leases of slots, adoption and release.

#include <algorithm>
#include <utility>

#include <malloc.h>

#include "actors/elastic/director_store.hpp"

namespace ringmaster::actors {

namespace {

/// Each job comes with all of its items.
constexpr std::size_t adopted_page_size = 100;
/// Number of adopted jobs whose readings leave much unused memory behind.
constexpr std::size_t trimmed_from = 1'000;
/// No cluster has had so many hand-overs of a slot: a host that names more is not believed.
constexpr std::int64_t epoch_max = std::int64_t{1} << 48U;

} // namespace

void elastic_director_state::change_incarnation(const protocol::incarnation_change& change) {
  forget_everything();
  life_ = change.life;
  edits_.next = next_lease_ = now();
  clock_offset_ = std::chrono::nanoseconds{parts_.clock.at(now()).time_since_epoch()} - now().time_since_epoch();
  poll_edits();
  arm();
}

void elastic_director_state::forget_everything() {
  ++generation_;
  end_children();
  release_again_.reset();
  slots_.clear();
  looks_.clear();
  wanted_.reset();
  unanswered_.reset();
  edits_ = {};
  gate_.reset();
  active_ = loading_ = releasing_ = false;
  loading_slots_.clear();
  look_whether_stopped();
}

void elastic_director_state::change_slots(const protocol::slot_change& change) {
  if (!life_)
    return;
  wanted_ = change.slots;
  if (!stopping_)
    release_slots(~wanted_);
  next_lease_ = now();
  take_leases();
  arm();
}

core::slot_set elastic_director_state::missing_slots() const {
  auto missing = wanted_ | unanswered_;
  for (const auto& [slot, held] : slots_)
    if (held.loaded || held.leaves)
      missing.reset(slot);
  return missing;
}

// -- leases and adoption ---------------------------------------------------------------------------------------------------

// A slot that this node has already is returned, too: its jobs are read again.
void elastic_director_state::take_leases() {
  if (!life_ || !active_ || loading_ || stopping_ || now() < next_lease_ || edits_.polling)
    return;
  const auto missing = missing_slots();
  if (missing.none())
    return;
  loading_ = true;
  std::vector<core::elastic::lease_wish> wanted;
  for (std::uint32_t slot = 0; slot < core::slot_count; ++slot)
    if (missing.test(slot)) {
      const auto seen = seen_epochs_.find(slot);
      wanted.push_back({slot, seen == seen_epochs_.end() ? 0 : seen->second});
    }
  ask<std::vector<core::elastic::slot_lease>>(
    [owner = *life_, wanted = std::move(wanted)](storage::store& store) { return store.elastic().take_leases(owner, wanted); },
    [this, missing](core::result<std::vector<core::elastic::slot_lease>>&& taken) {
      unanswered_ = taken ? core::slot_set{} : missing;
      leases_taken(std::move(taken));
    });
}

void elastic_director_state::hear(const protocol::host_epochs& seen) {
  core::slot_set behind;
  for (const auto& each : seen.epochs) {
    if (each.slot >= core::slot_count || each.epoch > epoch_max)
      continue;
    auto& highest = seen_epochs_[each.slot];
    highest = std::max(highest, each.epoch);
    const auto held = slots_.find(each.slot);
    if (held != slots_.end() && held->second.loaded && held->second.lease.epoch < each.epoch)
      behind.set(each.slot);
  }
  if (behind.none() || stopping_)
    return;
  parts_.log->warn("hosts know later epochs of {} slots than the database, which was perhaps restored: the slots are taken again",
                   behind.count());
  release_slots(behind);
  arm();
}

void elastic_director_state::leases_taken(core::result<std::vector<core::elastic::slot_lease>>&& taken) {
  loading_slots_.clear();
  if (taken)
    for (const auto& lease : *taken)
      take(lease);
  if (loading_slots_.empty()) {
    if (!taken)
      parts_.log->warn("no leases of elastic jobs, retrying: {}", taken.error().context);
    loading_ = false;
    next_lease_ = now() + (taken ? lease_every : lease_pause);
    return arm();
  }
  load({});
}

void elastic_director_state::take(const core::elastic::slot_lease& lease) {
  auto& held = slots_[lease.slot];
  held.lease = lease;
  if (wanted_.test(lease.slot) && !held.leaves && !stopping_)
    return loading_slots_.push_back(lease);
  // The slot left meanwhile.
  held.leaves = true;
  release_idle();
}

void elastic_director_state::load(core::elastic::elastic_job_id after) {
  ask<std::vector<core::elastic::adopted_job>>(
    [owner = *life_, slots = loading_slots_, after](storage::store& store) {
      return store.elastic().adopt(owner, slots, after, adopted_page_size);
    },
    [this](core::result<std::vector<core::elastic::adopted_job>>&& page) {
      if (!page) {
        parts_.log->warn("reading elastic jobs failed, retrying: {}", page.error().context);
        loading_ = false;
        next_lease_ = now() + lease_pause;
        return arm();
      }
      std::size_t items = 0;
      for (const auto& each : *page)
        items += each.items.size();
      const bool complete = page->size() < adopted_page_size && items < core::elastic::adopted_items_max;
      const auto last = page->empty() ? core::elastic::elastic_job_id{} : page->back().job.id;
      for (auto& each : *page)
        add(std::move(each));
      if (!complete)
        return load(last);
      loaded(loading_slots_);
    });
}

void elastic_director_state::loaded(const std::vector<core::elastic::slot_lease>& slots) {
  for (const auto& lease : slots)
    if (const auto held = slots_.find(lease.slot); held != slots_.end() && held->second.lease == lease)
      held->second.loaded = true;
  loading_ = false;
  loading_slots_.clear();
  next_lease_ = now() + lease_every;
  parts_.log->info("{} elastic jobs in {} slots", jobs_.size(), slots_.size());
  if (jobs_.size() >= trimmed_from)
    ::malloc_trim(0); // 20 ms for 10 000 jobs
  poll_edits();
  arm();
}

// -- release ---------------------------------------------------------------------------------------------------------------

void elastic_director_state::release_slots(const core::slot_set& which) {
  for (auto& [slot, held] : slots_)
    if (which.test(slot) && !std::exchange(held.leaves, true))
      for (const auto key : held.jobs)
        protocol::send(self_, jobs_.at(key).actor, protocol::slot_release_order{});
  release_idle();
}

// E15 once all writes of a slot are answered. Slots that become idle meanwhile are the next call.
void elastic_director_state::release_idle() {
  if (!life_ || releasing_)
    return;
  std::vector<core::elastic::slot_lease> idle;
  for (const auto& [slot, held] : slots_)
    if (held.leaves && held.jobs.empty())
      idle.push_back(held.lease);
  if (idle.empty())
    return;
  releasing_ = true;
  ask<void>([owner = *life_, idle](storage::store& store) { return store.elastic().release_leases(owner, idle); },
            [this, idle](core::result<void>&& done) {
              releasing_ = false;
              if (done) {
                for (const auto& lease : idle)
                  slots_.erase(lease.slot);
                release_idle();
                look_whether_stopped();
              } else {
                parts_.log->warn("slots of elastic jobs are not released, retrying: {}", done.error().context);
                release_again_ = now() + lease_pause;
              }
              arm();
            });
}

caf::result<void> elastic_director_state::stop() {
  auto promise = self_->make_response_promise<void>();
  stopped_.push_back(promise);
  if (!std::exchange(stopping_, true)) {
    stop_until_ = now() + release_limit;
    // Hosts choose another node before this one ends.
    if (tools_->hosts)
      protocol::send(self_, tools_->hosts, protocol::stop_request{});
    release_slots(core::slot_set{}.set());
  }
  look_whether_stopped();
  arm();
  return promise;
}

void elastic_director_state::look_whether_stopped() {
  if (!stopping_ || (life_ && !slots_.empty() && now() < stop_until_))
    return;
  for (auto& promise : std::exchange(stopped_, {}))
    promise.deliver();
}

} // namespace ringmaster::actors
