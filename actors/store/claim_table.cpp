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

std::size_t claim_table::open_claims() const {
  return static_cast<std::size_t>(
    std::count_if(claims_.begin(), claims_.end(), [](const auto& each) { return is_open(each.second); }));
}

void claim_table::open(std::int64_t claim, std::uint32_t runs) {
  auto& opened = claims_[claim];
  opened.runs += runs;
  if (!is_open(opened))
    opened.now = state::open;
}

bool claim_table::close_run(std::int64_t claim, bool recorded) {
  auto found = claims_.find(claim);
  if (found == claims_.end() || !is_open(found->second))
    return false;
  auto& counted = found->second;
  if (!recorded)
    counted.now = state::incomplete;
  if (--counted.runs > 0)
    return false;
  if (counted.now == state::incomplete) {
    leave(found);
    return false;
  }
  counted.now = state::closing;
  return true;
}

void claim_table::closed(const std::vector<std::int64_t>& claims) {
  for (const auto claim : claims)
    if (auto found = claims_.find(claim); found != claims_.end() && found->second.now == state::closing)
      leave(found);
}

// Moves on to the next claim. Of a claim that was neither refused nor reported there is nothing to remember.
void claim_table::leave(entries::iterator& claim) {
  auto& left = claim->second;
  left.now = state::left;
  claim = left.refused || left.reports > 0 ? std::next(claim) : claims_.erase(claim);
}

void claim_table::end_incarnation() {
  std::erase_if(claims_, [](const auto& each) { return each.second.now != state::asked; });
}

// -- claims that no actor works on -----------------------------------------------------------------------------------------

bool claim_table::begin_search(steady t) {
  if (searching_ || t < next_search_)
    return false;
  searching_ = true;
  next_search_ = t + search_every;
  return true;
}

// A claim that is settled between two searches is not reported.
protocol::stray_claims claim_table::find_strays(const std::vector<std::int64_t>& stored, steady t) {
  protocol::stray_claims strays;
  std::vector<std::int64_t> suspects;
  for (const auto claim : stored) {
    const auto found = claims_.find(claim);
    if (found == claims_.end() || (found->second.now == state::left && t >= found->second.next_report))
      suspects.push_back(claim);
    else if (found->second.now == state::suspect)
      report(claim, found->second, t, strays);
  }
  for (auto each = claims_.begin(); each != claims_.end();)
    if (each->second.now == state::suspect)
      leave(each);
    else
      ++each;
  for (const auto claim : suspects)
    claims_[claim].now = state::suspect;
  return strays;
}

void claim_table::report(std::int64_t claim, entry& of, steady t, protocol::stray_claims& strays) {
  of.now = state::left;
  if (of.reports < reports_max)
    strays.items.push_back({claim, of.refused && of.reports == 0});
  else if (of.reports == reports_max)
    log_->error("claim {} cannot be settled in this incarnation", claim);
  of.reports = std::min(of.reports + 1, reports_max + 1);
  of.next_report = t + report_again;
}

} // namespace ringmaster::actors
