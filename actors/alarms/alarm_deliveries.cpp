#include "actors/alarms/alarm_deliveries.hpp"

#include <utility>

namespace ringmaster::actors {

std::uint64_t alarm_deliveries::add(alarm_delivery delivery) {
  ++channels_[delivery.channel].all;
  all_.emplace(++last_, std::move(delivery));
  return last_;
}

std::vector<std::uint64_t> alarm_deliveries::start(clock now) {
  std::vector<std::uint64_t> out;
  for (auto& [number, delivery] : all_) {
    if (delivery.sending || delivery.next_try > now)
      continue;
    auto& load = channels_[delivery.channel];
    if (load.sending >= on_their_way_max)
      continue;
    ++load.sending;
    delivery.sending = true;
    ++delivery.attempts;
    out.push_back(number);
  }
  return out;
}

alarm_delivery* alarm_deliveries::find(std::uint64_t number) {
  const auto found = all_.find(number);
  return found == all_.end() ? nullptr : &found->second;
}

void alarm_deliveries::free_place(alarm_delivery& delivery) {
  if (std::exchange(delivery.sending, false))
    --channels_[delivery.channel].sending;
}

bool alarm_deliveries::again(alarm_delivery& delivery, clock now, std::chrono::hours patience) {
  free_place(delivery);
  delivery.next_try = now + core::alarm_back_off(++delivery.failures);
  return delivery.next_try <= delivery.since + patience;
}

alarm_delivery alarm_deliveries::take(std::uint64_t number) {
  const auto found = all_.find(number);
  free_place(found->second);
  auto out = std::move(found->second);
  all_.erase(found);
  const auto load = channels_.find(out.channel);
  if (--load->second.all == 0)
    channels_.erase(load);
  return out;
}

std::size_t alarm_deliveries::waiting(const std::string& channel) const {
  const auto found = channels_.find(channel);
  return found == channels_.end() ? 0 : found->second.all;
}

void alarm_deliveries::clear() {
  all_.clear();
  channels_.clear();
}

} // namespace ringmaster::actors
