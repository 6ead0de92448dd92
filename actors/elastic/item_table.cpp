#include "actors/elastic/item_table.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Returns whether nothing but the members of a compact item would be lost.
bool may_compact(const job_item& one) {
  const auto& state = one.state;
  return state.state == elastic::item_state::idle && state.queue.empty() && !state.missed && state.avoided.empty()
         && state.refusals == 0 && !state.alarmed && !one.due && one.writes == 0 && !one.lost_guard
         && core::number(one.cancel_run) == 0 && !one.stored_missed && !one.lost && one.counted == item_count::none
         && one.after_writes.empty();
}

} // namespace

std::size_t item_table::index_of(item_number which) const noexcept {
  const auto found =
    std::lower_bound(places_.begin(), places_.end(), which, [](const place& each, item_number of) { return each.which < of; });
  return static_cast<std::size_t>(found - places_.begin());
}

item_table::place* item_table::place_of(item_number which) noexcept {
  const auto at = index_of(which);
  return at < places_.size() && places_[at].which == which ? &places_[at] : nullptr;
}

bool item_table::contains(item_number which) const noexcept {
  const auto at = index_of(which);
  return at < places_.size() && places_[at].which == which;
}

job_item* item_table::find(item_number which) {
  auto* const found = place_of(which);
  return found == nullptr ? nullptr : &look_up(*found);
}

job_item& item_table::add(item_number which) {
  if (auto* const found = place_of(which))
    return look_up(*found);
  return look_up(*places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(index_of(which)), place{which}));
}

job_item& item_table::look_up(place& in) {
  if (!in.full) {
    in.full = std::make_unique<job_item>();
    auto& state = in.full->state;
    state.fence = in.fence;
    state.host = in.host;
    state.disabled = in.disabled;
    state.surplus = in.surplus;
  }
  if (!std::exchange(in.looked_up, true))
    looked_up_.push_back(in.which);
  return *in.full;
}

void item_table::erase(item_number which) {
  if (contains(which))
    places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(index_of(which)));
}

void item_table::clear() {
  places_.clear();
  looked_up_.clear();
}

void item_table::compact() {
  for (const auto which : looked_up_) {
    auto* const found = place_of(which);
    if (found == nullptr)
      continue;
    found->looked_up = false;
    if (!found->full || !may_compact(*found->full))
      continue;
    const auto& state = found->full->state;
    found->fence = state.fence;
    found->host = state.host;
    found->disabled = state.disabled;
    found->surplus = state.surplus;
    found->full.reset();
  }
  looked_up_.clear();
}

} // namespace ringmaster::actors
