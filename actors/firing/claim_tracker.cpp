#include "actors/firing/claim_tracker.hpp"

#include <algorithm>

namespace ringmaster::actors {

namespace {

std::optional<pending_claim> take_from(std::unordered_map<std::int64_t, pending_claim>& claims, std::int64_t sequence) {
  auto found = claims.extract(sequence);
  return found ? std::optional{std::move(found.mapped())} : std::nullopt;
}

} // namespace

bool pending_claim::misses_any() const noexcept {
  const auto is_some = [](std::size_t count) { return count > 0; };
  return std::any_of(dropped.begin(), dropped.end(), is_some) || std::any_of(merged.begin(), merged.end(), is_some);
}

std::optional<pending_claim> claim_tracker::take(std::int64_t sequence) { return take_from(claims_, sequence); }

std::optional<pending_claim> claim_tracker::take_former(std::int64_t sequence) { return take_from(former_, sequence); }

protocol::slot_release claim_tracker::end_incarnation() {
  protocol::slot_release freed;
  for (auto& [sequence, claim] : claims_) {
    freed.slots.add(claim.slots.slots);
    if (claim.misses_any())
      former_.emplace(sequence, std::move(claim));
  }
  claims_.clear();
  return freed;
}

void claim_tracker::raise(std::size_t rows_max) noexcept {
  if (jobs_max_ != unlimited)
    jobs_max_ = jobs_max_ < rows_max ? jobs_max_ * 2 : unlimited;
}

} // namespace ringmaster::actors
