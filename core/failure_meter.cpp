#include "core/failure_meter.hpp"

#include <utility>

#include "core/network_text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::chrono::minutes length{1};

} // namespace

failure_meter::verdict failure_meter::failed(std::string_view remote, time now) {
  auto network = client_network(remote);
  if (minutes_.size() >= addresses_max && !minutes_.contains(network))
    make_room(now);
  auto& current = minutes_[std::move(network)];
  if (current.failures == 0 || now - current.begin >= length)
    current = {now, 0};
  // One more than too many: the number says no more than that.
  if (current.failures <= a_minute_max + 1)
    ++current.failures;
  if (current.failures <= a_minute_max)
    return verdict::few;
  return current.failures == a_minute_max + 1 ? verdict::first_too_many : verdict::too_many;
}

void failure_meter::make_room(time now) {
  std::erase_if(minutes_, [now](const auto& each) { return now - each.second.begin >= length; });
  if (minutes_.size() >= addresses_max)
    minutes_.clear();
}

} // namespace ringmaster::core
