#include "actors/store/stray_search.hpp"

#include <algorithm>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Interval of searches; a claim that no actor works on must be seen twice.
constexpr auto look_every = 500ms;
// Limits how often recovery is notified of the same claim; after that it is left to the next incarnation.
constexpr int tell_max = 3;
constexpr auto tell_again = 10s;

} // namespace

bool stray_search::begin(steady t) {
  if (under_way_ || t < next_)
    return false;
  under_way_ = true;
  next_ = t + look_every;
  return true;
}

// A claim that is settled between two searches is not reported.
protocol::stray_claims stray_search::compare(const std::vector<std::int64_t>& stored, const open_claims& claims, steady t) {
  std::unordered_set<std::int64_t> seen;
  protocol::stray_claims strays;
  for (const auto claim : stored) {
    if (claims.is_known(claim))
      continue;
    const auto told = told_.find(claim);
    if (told != told_.end() && t < told->second.next)
      continue;
    if (!suspects_.contains(claim))
      seen.insert(claim);
    else
      tell(claim, claims.was_refused(claim), t, strays);
  }
  suspects_ = std::move(seen);
  return strays;
}

void stray_search::tell(std::int64_t claim, bool was_refused, steady t, protocol::stray_claims& strays) {
  auto& told = told_[claim];
  if (told.times < tell_max)
    strays.items.push_back({claim, was_refused && told.times == 0});
  else if (told.times == tell_max)
    log_->error("claim {} cannot be settled in this incarnation", claim);
  told.times = std::min(told.times + 1, tell_max + 1);
  told.next = t + tell_again;
}

void stray_search::end_incarnation() {
  suspects_.clear();
  told_.clear();
}

} // namespace ringmaster::actors
