#include "core/routing/lanes.hpp"

#include <algorithm>
#include <string_view>

namespace ringmaster::core {

void held_slots::take_off(const planned_run& run) {
  auto found = held_.find({run.lane, run.address});
  if (found != held_.end() && --found->second == 0)
    held_.erase(found);
}

void held_slots::add(const held_slots& other) {
  for (const auto& [where, count] : other.held_)
    held_[where] += count;
}

std::uint8_t lanes::lane_of(job_id job, time_point now) {
  turn_minute(now);
  auto found = slow_sends_.find(number(job));
  return found != slow_sends_.end() && found->second > limits_.slow_count ? slow_lane : fast_lane;
}

lane_room lanes::take(std::uint8_t lane, std::span<const planned_run> runs, steady now) {
  if (runs.empty())
    return lane_room::taken;
  if (used_[lane] > 0 && used_[lane] + runs.size() > limits_.window[lane])
    return lane_room::full;
  std::unordered_map<std::string_view, std::size_t> wanted;
  for (const auto& run : runs)
    ++wanted[run.address];
  auto broadcast = runs.front().part.broadcast && wanted.size() > 1;
  for (const auto& [address, count] : wanted)
    if (auto room = room_of(lane, std::string{address}, count, broadcast, now); room != lane_room::taken)
      return room;
  used_[lane] += runs.size();
  for (const auto& run : runs) {
    auto& of = executors_[run.address];
    ++of.used[lane];
    of.touched = now;
  }
  return lane_room::taken;
}

lane_room lanes::room_of(std::uint8_t lane, const std::string& address, std::size_t count, bool broadcast, steady now) const {
  auto found = executors_.find(address);
  auto held = found == executors_.end() ? 0 : found->second.used[lane];
  if (held == 0)
    return lane_room::taken;
  if (!broadcast && held + count > limits_.silent_window && is_silent(found->second, now))
    return lane_room::silent;
  auto free = limits_.window[lane] - std::min(used_[lane], limits_.window[lane]);
  return held + count > share * free ? lane_room::full : lane_room::taken;
}

void lanes::give_back(std::uint8_t lane, const std::string& address, std::size_t count) {
  auto found = executors_.find(address);
  if (found == executors_.end())
    return;
  count = std::min({count, found->second.used[lane], used_[lane]});
  found->second.used[lane] -= count;
  used_[lane] -= count;
}

void lanes::give_back(const held_slots& slots) {
  for (const auto& [where, count] : slots.held())
    give_back(where.first, where.second, count);
}

void lanes::sent(const std::string& address, steady when) {
  auto& of = executors_[address];
  if (of.owed++ == 0)
    of.owes_since = when;
  of.touched = when;
}

void lanes::ended(const std::string& address, bool answered, std::chrono::microseconds elapsed, steady now) {
  auto alive = answered || elapsed <= limits_.slow_after;
  auto& of = executors_[address];
  // One lost answer among many is not significant.
  of.silent = !alive && is_silent(of, now);
  of.owed -= std::min<std::size_t>(1, of.owed);
  if (alive)
    of.owes_since = now;
  of.touched = now;
}

void lanes::withheld(const std::string& address) {
  auto& of = executors_[address];
  of.owed -= std::min<std::size_t>(1, of.owed);
}

bool lanes::is_silent(const std::string& address, steady now) const {
  auto found = executors_.find(address);
  return found != executors_.end() && is_silent(found->second, now);
}

bool lanes::is_silent(const executor& of, steady now) const {
  return of.silent || (of.owed > 0 && now - of.owes_since > limits_.slow_after);
}

void lanes::forget_unused(steady now, std::chrono::nanoseconds age) {
  std::erase_if(executors_, [&](const auto& entry) {
    const auto& of = entry.second;
    return of.used == std::array<std::size_t, 2>{} && of.owed == 0 && now - of.touched > age;
  });
}

void lanes::took(job_id job, std::chrono::microseconds elapsed, time_point now) {
  if (elapsed <= limits_.slow_after)
    return;
  turn_minute(now);
  ++slow_sends_[number(job)];
}

void lanes::turn_minute(time_point now) {
  auto minute = std::chrono::floor<std::chrono::minutes>(now).time_since_epoch().count();
  if (minute == minute_)
    return;
  minute_ = minute;
  slow_sends_.clear();
}

} // namespace ringmaster::core
