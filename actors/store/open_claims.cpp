#include "actors/store/open_claims.hpp"

namespace ringmaster::actors {

bool open_claims::close_run(std::int64_t claim, bool recorded) {
  const auto found = open_.find(claim);
  if (found == open_.end())
    return false;
  auto& open = found->second;
  open.incomplete = open.incomplete || !recorded;
  if (--open.runs > 0)
    return false;
  const bool incomplete = open.incomplete;
  open_.erase(found);
  if (incomplete)
    return false; // the claim stays in the store, where the next search finds it
  closing_.insert(claim);
  return true;
}

void open_claims::closed(const std::vector<std::int64_t>& claims) {
  for (const auto claim : claims)
    closing_.erase(claim);
}

void open_claims::end_incarnation() {
  open_.clear();
  refused_.clear();
  closing_.clear();
}

bool open_claims::is_known(std::int64_t claim) const {
  return open_.contains(claim) || asked_.contains(claim) || closing_.contains(claim);
}

} // namespace ringmaster::actors
