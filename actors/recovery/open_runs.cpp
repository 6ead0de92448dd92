#include "actors/recovery/open_runs.hpp"

namespace ringmaster::actors {

void open_runs::add(core::open_run&& run, std::chrono::seconds timeout, steady now) {
  const auto id = run.id;
  if (const auto resting = resting_.find(id); resting != resting_.end()) {
    if (now < resting->second)
      return;
    resting_.erase(resting);
  }
  if (full())
    return;
  auto [at, added] = runs_.try_emplace(id, watched_run{.run = std::move(run), .timeout = timeout, .due = now});
  if (added)
    waiting_.emplace(now, id);
}

watched_run* open_runs::find(core::log_id id) {
  auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

void open_runs::erase(core::log_id id) {
  if (auto* run = find(id)) {
    leave_phase(*run);
    runs_.erase(id);
  }
}

void open_runs::rest(core::log_id id, steady until) {
  erase(id);
  if (resting_.size() >= resting_max)
    resting_.clear(); // harmless: they are asked about once more
  resting_.insert_or_assign(id, until);
}

void open_runs::wake(const std::string& address, steady now) {
  for (auto& [id, run] : runs_)
    if (run.now == watched_run::phase::waiting && run.run.address == address)
      wait(run, std::min(run.due, now));
  // Resting runs have no address here; the runs that the next walk finds are asked about again.
  resting_.clear();
}

void open_runs::clear() {
  runs_.clear();
  waiting_.clear();
  lanes_.clear();
  resting_.clear();
  asking_ = 0;
}

std::vector<core::log_id> open_runs::take_due(steady now, std::size_t limit) {
  std::vector<core::log_id> due;
  while (due.size() < limit && !waiting_.empty() && waiting_.begin()->first <= now) {
    const auto id = waiting_.begin()->second;
    auto& run = *find(id);
    leave_phase(run);
    run.now = watched_run::phase::looking;
    due.push_back(id);
  }
  return due;
}

void open_runs::make_ready(watched_run& run) {
  leave_phase(run);
  run.now = watched_run::phase::ready;
  lanes_[run.run.address].ready.insert(run.run.id);
}

watched_run* open_runs::take_ready() {
  if (asking_ >= asks_max)
    return nullptr;
  auto next = lanes_.upper_bound(last_turn_);
  for (std::size_t tried = 0; tried < lanes_.size(); ++tried, ++next) {
    if (next == lanes_.end())
      next = lanes_.begin();
    if (next->second.ready.empty() || next->second.asking >= asks_per_address_max)
      continue;
    last_turn_ = next->first;
    auto& run = *find(*next->second.ready.begin());
    leave_phase(run);
    run.now = watched_run::phase::asking;
    ++lanes_[run.run.address].asking;
    ++asking_;
    return &run;
  }
  return nullptr;
}

void open_runs::wait(watched_run& run, steady until) {
  leave_phase(run);
  run.now = watched_run::phase::waiting;
  run.due = until;
  waiting_.emplace(until, run.run.id);
}

void open_runs::leave_phase(watched_run& run) {
  if (run.now == watched_run::phase::waiting)
    waiting_.erase({run.due, run.run.id});
  auto its = lanes_.find(run.run.address);
  if (its == lanes_.end())
    return;
  its->second.ready.erase(run.run.id);
  if (run.now == watched_run::phase::asking) {
    --its->second.asking;
    --asking_;
  }
  run.now = watched_run::phase::looking;
  if (its->second.ready.empty() && its->second.asking == 0)
    lanes_.erase(its);
}

} // namespace ringmaster::actors
