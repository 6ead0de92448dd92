#include "actors/store/claim_table.hpp"

#include <algorithm>
#include <iterator>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto search_every = 500ms;
// Limits how often recovery is notified of the same claim; after that it is left to the next incarnation.
constexpr int reports_max = 3;
constexpr auto report_again = 10s;

} // namespace

bool claim_table::is_open(const entry& claim) noexcept { return claim.now == state::open || claim.now == state::incomplete; }

bool claim_table::is_open(std::int64_t claim) const {
  const auto found = claims_.find(claim);
  return found != claims_.end() && is_open(found->second);
}

bool claim_table::is_left(const entry& claim) noexcept { return claim.now == state::left || claim.now == state::suspect; }

void claim_table::move(entry& claim, state next) noexcept {
  open_ -= is_open(claim) ? 1 : 0;
  claim.now = next;
  open_ += is_open(claim) ? 1 : 0;
}

void claim_table::open(std::int64_t claim, std::uint32_t runs) {
  auto& opened = claims_[claim];
  opened.runs += runs;
  if (!is_open(opened))
    move(opened, state::open);
}

void claim_table::refuse(std::int64_t claim) {
  forget(claim);
  auto& refused = claims_[claim];
  refused.refused = true;
  remember(claim, refused);
}

void claim_table::forget(std::int64_t claim) {
  const auto found = claims_.find(claim);
  if (found == claims_.end())
    return;
  open_ -= is_open(found->second) ? 1 : 0;
  claims_.erase(found);
}

bool claim_table::close_run(std::int64_t claim, bool recorded) {
  auto found = claims_.find(claim);
  if (found == claims_.end() || !is_open(found->second))
    return false;
  auto& counted = found->second;
  if (!recorded)
    move(counted, state::incomplete);
  if (--counted.runs > 0)
    return false;
  if (counted.now == state::incomplete) {
    leave(found);
    return false;
  }
  move(counted, state::closing);
  return true;
}

void claim_table::closed(const std::vector<std::int64_t>& claims) {
  for (const auto claim : claims)
    if (auto found = claims_.find(claim); found != claims_.end() && found->second.now == state::closing)
      leave(found);
}

// A claim that was neither refused nor reported is forgotten at once: the table keeps no fact about it.
void claim_table::leave(entries::iterator claim) {
  auto& left = claim->second;
  if (left.refused || left.reports > 0)
    remember(claim->first, left);
  else
    forget(claim->first);
}

void claim_table::remember(std::int64_t claim, entry& left) {
  move(left, state::left);
  left.seen_in = searches_;
  left_.insert(claim);
}

void claim_table::end_incarnation() {
  std::erase_if(claims_, [](const auto& each) { return each.second.now != state::asked; });
  open_ = 0;
  left_.clear();
}

// -- claims that no actor works on -----------------------------------------------------------------------------------------

bool claim_table::begin_search(steady t) {
  if (searching_ || t < next_search_)
    return false;
  searching_ = true;
  ++searches_;
  next_search_ = t + search_every;
  return true;
}

// A claim that is settled between two searches is not reported.
protocol::stray_claims claim_table::find_strays(const std::vector<std::int64_t>& stored, steady t) {
  protocol::stray_claims strays;
  std::vector<std::int64_t> suspects;
  for (const auto claim : stored) {
    const auto found = claims_.find(claim);
    if (found != claims_.end() && is_left(found->second))
      found->second.seen_in = searches_;
    if (found == claims_.end() || (found->second.now == state::left && t >= found->second.next_report))
      suspects.push_back(claim);
    else if (found->second.now == state::suspect)
      report(claim, found->second, t, strays);
  }
  forget_gone();
  for (const auto claim : suspects) {
    auto& suspect = claims_[claim];
    remember(claim, suspect);
    suspect.now = state::suspect;
  }
  return strays;
}

// A claim that was left while the search was under way may have been stored after the store was read.
void claim_table::forget_gone() {
  for (auto each = left_.begin(); each != left_.end();) {
    const auto found = claims_.find(*each);
    const bool remains = found != claims_.end() && is_left(found->second) && found->second.seen_in == searches_;
    if (!remains && found != claims_.end() && is_left(found->second))
      claims_.erase(found);
    each = remains ? std::next(each) : left_.erase(each);
  }
}

void claim_table::report(std::int64_t claim, entry& of, steady t, protocol::stray_claims& strays) {
  move(of, state::left);
  if (of.reports < reports_max)
    strays.items.push_back({claim, of.refused && of.reports == 0});
  else if (of.reports == reports_max)
    log_->error("claim {} cannot be settled in this incarnation", claim);
  of.reports = std::min(of.reports + 1, reports_max + 1);
  of.next_report = t + report_again;
}

} // namespace ringmaster::actors
