#include "actors/recovery/unknown_runs.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

bool unknown_runs::add(unknown_run&& run) {
  auto id = run.run.id;
  auto [at, added] = runs_.try_emplace(id, std::move(run));
  if (added)
    waiting_.emplace(at->second.due, id);
  return added;
}

unknown_run* unknown_runs::find(core::log_id id) {
  auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

void unknown_runs::erase(core::log_id id) {
  if (auto* run = find(id)) {
    move(*run, unknown_run::phase::looking);
    auto its = lanes_.find(run->run.plan.address);
    runs_.erase(id);
    if (its != lanes_.end() && its->second.scout == id)
      replace_scout(its->second);
  }
  if (runs_.empty())
    clear();
}

void unknown_runs::clear() {
  runs_.clear();
  waiting_.clear();
  lanes_.clear();
  taken_ = 0;
}

void unknown_runs::move(unknown_run& run, unknown_run::phase to) {
  if (run.now == unknown_run::phase::waiting)
    stop_waiting(run);
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

void unknown_runs::wait(unknown_run& run, unknown_run::steady until) {
  move(run, unknown_run::phase::waiting);
  run.due = until;
  waiting_.emplace(until, run.run.id);
}

void unknown_runs::wait_for_answer(unknown_run& run, unknown_run::steady until) {
  auto& its = lanes_[run.run.plan.address];
  if (its.silent && !its.scout)
    its.scout = run.run.id;
  wait(run, its.scout == run.run.id ? std::min(until, its.quiet_until) : until);
  its.hushed.insert(run.run.id);
}

void unknown_runs::replace_scout(lane& of) {
  of.scout.reset();
  if (of.silent && !of.hushed.empty())
    wait_for_answer(*find(*of.hushed.begin()), of.quiet_until);
}

void unknown_runs::stop_waiting(unknown_run& run) {
  waiting_.erase({run.due, run.run.id});
  if (auto its = lanes_.find(run.run.plan.address); its != lanes_.end())
    its->second.hushed.erase(run.run.id);
}

std::vector<core::log_id> unknown_runs::take_due(unknown_run::steady now, std::size_t limit) {
  std::vector<core::log_id> due;
  while (due.size() < limit && !waiting_.empty() && waiting_.begin()->first <= now) {
    auto id = waiting_.begin()->second;
    move(*find(id), unknown_run::phase::looking);
    due.push_back(id);
  }
  return due;
}

unknown_run* unknown_runs::take_ready() {
  if (taken_ >= places_.all || lanes_.empty())
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
  auto places = from.answers ? places_.per_address : places_.per_quiet_address;
  while (from.taken < places && !from.ready.empty()) {
    auto* run = find(from.ready.front());
    from.ready.pop_front();
    if (run && run->now == unknown_run::phase::ready)
      return run;
  }
  return nullptr;
}

void unknown_runs::note_answer(const std::string& address, unknown_run::steady now) {
  auto& its = lanes_[address];
  its.answers = true;
  its.silent = false;
  its.failures = 0;
  its.scout.reset();
  for (auto id : std::exchange(its.hushed, {})) {
    auto& run = *find(id);
    run.wait = core::milliseconds{0};
    wait(run, now);
  }
}

void unknown_runs::note_failure(const std::string& address, bool timed_out, unknown_run::steady quiet_until,
                                const std::string& reason) {
  auto& its = lanes_[address];
  if (++its.failures < failures_max && !timed_out && !its.silent)
    return;
  its.answers = false;
  its.silent = true;
  its.quiet_until = quiet_until;
  its.reason = reason;
}

const std::string* unknown_runs::silence(const unknown_run& run, unknown_run::steady now) const {
  auto found = lanes_.find(run.run.plan.address);
  if (found == lanes_.end() || !found->second.silent)
    return nullptr;
  const auto& its = found->second;
  return its.scout == run.run.id && now >= its.quiet_until ? nullptr : &its.reason;
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
