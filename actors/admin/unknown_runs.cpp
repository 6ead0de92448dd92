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
}

void unknown_runs::clear() {
  runs_.clear();
  ready_.clear();
  taken_ = 0;
}

void unknown_runs::move(unknown_run& run, unknown_run::phase to) {
  taken_ -= takes_place(run.now) ? 1 : 0;
  taken_ += takes_place(to) ? 1 : 0;
  run.now = to;
  if (to == unknown_run::phase::ready)
    ready_.push_back(run.run.id);
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
  while (taken_ < places_ && !ready_.empty()) {
    auto* run = find(ready_.front());
    ready_.pop_front();
    if (run && run->now == unknown_run::phase::ready)
      return run;
  }
  return nullptr;
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
