#include "actors/elastic/host_slots.hpp"

#include <algorithm>
#include <iterator>

namespace ringmaster::actors {

namespace {

std::int32_t slots_in(const std::map<std::int32_t, std::int32_t>& slots, std::int32_t host) {
  const auto found = slots.find(host);
  return found == slots.end() ? 0 : found->second;
}

void add_slots(std::map<std::int32_t, std::int32_t>& to, std::int32_t host, std::int32_t slots) {
  if (const auto found = to.try_emplace(host).first; (found->second += slots) == 0)
    to.erase(found);
}

} // namespace

void host_slots::set(const protocol::known_hosts& known) {
  const std::lock_guard lock{mutex_};
  known_.clear();
  for (const auto& seat : known.seats)
    known_.insert_or_assign(core::number(seat.host.host), seat.free_slots);
  for (auto* const each : idle_)
    clear(*each);
  idle_.clear();
}

void host_slots::wake() {
  const std::lock_guard lock{mutex_};
  wake_waiting();
}

std::int32_t host_slots::free(std::int32_t host) const { return slots_in(known_, host) + slots_in(changes_, host); }

void host_slots::clear(share& of) {
  for (const auto& [host, slots] : of.changes_)
    add_slots(changes_, host, -slots);
  of.changes_ = {};
  of.held_.clear();
}

void host_slots::wake_waiting() {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    wake_first(each->first, each->second);
    each = each->second.empty() ? waiting_.erase(each) : std::next(each);
  }
}

void host_slots::wake_first(std::int32_t host, std::deque<share*>& waiting) {
  while (free(host) > 0 && !waiting.empty()) {
    auto& first = *waiting.front();
    waiting.pop_front();
    first.change(host, -1);
    ++share::place_of(first.held_, host);
    first.is_woken_ = true;
    if (first.wake_)
      first.wake_();
  }
}

host_slots::share::~share() {
  const std::lock_guard lock{slots_->mutex_};
  slots_->clear(*this);
  slots_->idle_.erase(this);
  for (auto& [host, waiting] : slots_->waiting_)
    std::erase(waiting, this);
  slots_->wake_waiting();
}

std::int32_t& host_slots::share::place_of(slot_list& all, std::int32_t host) {
  const auto is_before = [](const auto& each, std::int32_t wanted) { return each.first < wanted; };
  auto place = std::lower_bound(all.begin(), all.end(), host, is_before);
  if (place == all.end() || place->first != host)
    place = all.insert(place, {host, 0});
  return place->second;
}

void host_slots::share::change(std::int32_t host, std::int32_t slots) {
  place_of(changes_, host) += slots;
  add_slots(slots_->changes_, host, slots);
}

std::int32_t host_slots::share::held(std::int32_t host) const {
  const auto found = std::find_if(held_.begin(), held_.end(), [host](const auto& each) { return each.first == host; });
  return found == held_.end() ? 0 : found->second;
}

std::int32_t host_slots::share::free(core::elastic::host_number host) const {
  const std::lock_guard lock{slots_->mutex_};
  return slots_->free(core::number(host)) + held(core::number(host));
}

bool host_slots::share::take(core::elastic::host_number host) {
  const std::lock_guard lock{slots_->mutex_};
  if (held(core::number(host)) > 0)
    --place_of(held_, core::number(host));
  else if (slots_->free(core::number(host)) > 0)
    change(core::number(host), -1);
  else
    return false;
  slots_->idle_.erase(this);
  return true;
}

void host_slots::share::add(core::elastic::host_number host, std::int32_t slots) {
  const std::lock_guard lock{slots_->mutex_};
  change(core::number(host), slots);
  if (slots > 0)
    slots_->wake_waiting();
}

void host_slots::share::take_all(core::elastic::host_number host) {
  const std::lock_guard lock{slots_->mutex_};
  std::erase_if(held_, [host](const auto& each) { return each.first == core::number(host); });
  if (const auto free = slots_->free(core::number(host)); free > 0)
    change(core::number(host), -free);
}

void host_slots::share::clear() {
  const std::lock_guard lock{slots_->mutex_};
  slots_->clear(*this);
  slots_->idle_.erase(this);
}

void host_slots::share::end_with_list() {
  const std::lock_guard lock{slots_->mutex_};
  if (!changes_.empty())
    slots_->idle_.insert(this);
}

void host_slots::share::await(core::elastic::host_number host) {
  const std::lock_guard lock{slots_->mutex_};
  auto& waiting = slots_->waiting_[core::number(host)];
  if (std::find(waiting.begin(), waiting.end(), this) == waiting.end())
    waiting.push_back(this);
  slots_->wake_waiting(); // a slot may have become free since the caller looked
}

bool host_slots::share::take_wake() {
  const std::lock_guard lock{slots_->mutex_};
  return std::exchange(is_woken_, false);
}

void host_slots::share::relay() {
  const std::lock_guard lock{slots_->mutex_};
  for (const auto& [host, slots] : std::exchange(held_, {}))
    change(host, slots);
  slots_->wake_waiting();
}

} // namespace ringmaster::actors
