#include "actors/admin/unknown_runs.hpp"

#include <utility>

namespace ringmaster::actors {

bool unknown_runs::add(unknown_run&& run) {
  auto id = run.run.id;
  return runs_.try_emplace(id, std::move(run)).second;
}

unknown_run* unknown_runs::find(core::log_id id) {
  auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

void unknown_runs::erase(core::log_id id) {
  if (auto* run = find(id)) {
    move(*run, unknown_run::phase::waiting);
    runs_.erase(id);
  }
  if (runs_.empty())
    clear();
}

void unknown_runs::clear() {
  runs_.clear();
  lanes_.clear();
  taken_ = 0;
}

void unknown_runs::move(unknown_run& run, unknown_run::phase to) {
  auto leaves = takes_place(run.now);
  auto enters = takes_place(to);
  run.now = to;
  if (!leaves && !enters && to != unknown_run::phase::ready)
    return;
  auto& its = lanes_[run.run.plan.address];
  its.taken += (enters ? 1 : 0) - (leaves ? 1 : 0);
  taken_ += (enters ? 1 : 0) - (leaves ? 1 : 0);
  if (to == unknown_run::phase::ready)
    its.ready.push_back(run.run.id);
}

std::vector<core::log_id> unknown_runs::take_due(unknown_run::steady now, std::size_t limit) {
  std::vector<core::log_id> due;
  for (auto& [id, run] : runs_) {
    if (due.size() == limit)
      break;
    if (run.now != unknown_run::phase::waiting || run.due > now)
      continue;
    move(run, unknown_run::phase::looking);
    due.push_back(id);
  }
  return due;
}

unknown_run* unknown_runs::take_ready() {
  if (taken_ >= places_ || lanes_.empty())
    return nullptr;
  auto next = lanes_.upper_bound(last_turn_);
  for (std::size_t tried = 0; tried < lanes_.size(); ++tried, ++next) {
    if (next == lanes_.end())
      next = lanes_.begin();
    if (auto* run = take_ready(next->second)) {
      last_turn_ = next->first;
      return run;
    }
  }
  return nullptr;
}

unknown_run* unknown_runs::take_ready(lane& from) {
  while (from.taken < places_per_address_ && !from.ready.empty()) {
    auto* run = find(from.ready.front());
    from.ready.pop_front();
    if (run && run->now == unknown_run::phase::ready)
      return run;
  }
  return nullptr;
}

void unknown_runs::mark_silent(const std::string& address, unknown_run::steady until) { lanes_[address].silent_until = until; }

bool unknown_runs::is_silent(const std::string& address, unknown_run::steady now) const {
  auto found = lanes_.find(address);
  return found != lanes_.end() && now < found->second.silent_until;
}

std::vector<core::log_id> unknown_runs::overdue_sends(unknown_run::steady now) const {
  std::vector<core::log_id> overdue;
  for (const auto& [id, run] : runs_)
    if (run.now == unknown_run::phase::sending && run.due <= now)
      overdue.push_back(id);
  return overdue;
}

bool unknown_runs::takes_place(unknown_run::phase phase) noexcept {
  return phase == unknown_run::phase::asking || phase == unknown_run::phase::permitting || phase == unknown_run::phase::sending;
}

} // namespace ringmaster::actors
