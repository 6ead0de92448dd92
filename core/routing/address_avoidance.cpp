#include "core/routing/address_avoidance.hpp"

#include <algorithm>
#include <iterator>

namespace ringmaster::core {

bool address_avoidance::refused(const std::string& address, steady now) {
  auto known = until_.find(address);
  if (known != until_.end()) {
    known->second = now + hold_;
    return false;
  }
  return until_.size() < addresses_max && until_.emplace(address, now + hold_).second;
}

bool address_avoidance::heard(const std::string& address) { return until_.erase(address) > 0; }

std::vector<std::string> address_avoidance::take_over(steady now) {
  std::vector<std::string> over;
  for (const auto& [address, until] : until_)
    if (until <= now)
      over.push_back(address);
  for (const auto& address : over)
    until_.erase(address);
  return over;
}

bool address_avoidance::any_avoided(std::span<const std::string> live) const {
  return !until_.empty() && std::any_of(live.begin(), live.end(), [this](const auto& address) { return avoids(address); });
}

std::span<const std::string> address_avoidance::usable(std::span<const std::string> live, std::vector<std::string>& room) const {
  if (!any_avoided(live))
    return live;
  room.clear();
  std::copy_if(live.begin(), live.end(), std::back_inserter(room), [this](const auto& address) { return !avoids(address); });
  return room.empty() ? live : std::span<const std::string>{room};
}

std::span<const std::string> address_avoidance::usable_first(std::span<const std::string> live,
                                                             std::vector<std::string>& room) const {
  if (!any_avoided(live))
    return live;
  room.assign(live.begin(), live.end());
  std::stable_partition(room.begin(), room.end(), [this](const auto& address) { return !avoids(address); });
  return room;
}

} // namespace ringmaster::core
