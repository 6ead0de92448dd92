#include "actors/recovery/suspected_executors.hpp"

#include <algorithm>

#include "core/run/lost_verdict.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds knock_first{500};
constexpr milliseconds knock_wait_min{1'000};
constexpr milliseconds knock_wait_max{15'000};
/// After this time its runs are old and found by the walk.
constexpr auto suspect_for = core::lost_age_min + std::chrono::minutes{2};
/// Time after which a silent executor is named. One that stops in order has reported its runs by then.
constexpr milliseconds named_after{15'000};

} // namespace

void suspected_executors::add(const std::string& address, steady t) {
  if (suspects_.size() >= suspects_max && !suspects_.contains(address))
    return;
  auto& one = suspects_.try_emplace(address, suspect{.first = t}).first->second;
  one.since = t;
  one.wait = milliseconds{0};
  if (!one.knocking)
    one.next_knock = t + knock_first;
}

std::vector<std::string> suspected_executors::take_due(steady t) {
  std::erase_if(suspects_, [t](const auto& one) { return !one.second.knocking && t - one.second.since > suspect_for; });
  std::vector<std::string> due;
  for (auto& [address, one] : suspects_) {
    if (knocking_ >= handshakes_max)
      break;
    if (one.knocking || one.next_knock > t)
      continue;
    one.knocking = true;
    ++knocking_;
    due.push_back(address);
  }
  return due;
}

bool suspected_executors::take_answer(const std::string& address, bool answered, steady t) {
  --knocking_;
  const auto found = suspects_.find(address);
  if (found == suspects_.end())
    return false;
  if (answered) {
    suspects_.erase(found);
    return true;
  }
  auto& one = found->second;
  one.knocking = false;
  one.wait = std::clamp(one.wait * 2, knock_wait_min, knock_wait_max);
  one.next_knock = t + one.wait;
  return false;
}

std::vector<std::string> suspected_executors::take_unnamed(std::size_t limit, steady t) {
  std::vector<std::string> silent;
  for (auto& [address, one] : suspects_)
    if (!one.named && t - one.first >= named_after && silent.size() < limit) {
      one.named = true;
      silent.push_back(address);
    }
  return silent;
}

void suspected_executors::clear() {
  suspects_.clear();
  knocking_ = 0;
}

} // namespace ringmaster::actors
