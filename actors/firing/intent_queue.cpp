#include "actors/firing/intent_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringmaster::actors {

bool intent_queue::add(std::vector<core::intent>&& intents, steady t) {
  bool any = false;
  for (auto& intent : intents)
    if (admit(intent)) {
      wait_for(std::move(intent), clock_.at(t));
      any = true;
    }
  return any;
}

bool intent_queue::admit(const core::intent& intent) {
  return known_.try_emplace(core::number(intent.id), known_intent{intent.kind}).second;
}

// A reserved instant is claimed shortly before its time, like any other; all else runs at once.
void intent_queue::wait_for(core::intent&& intent, core::time_point now) {
  const auto early = intent.fire_at - claim_ahead_;
  if (core::is_reserved(intent.kind) && early > now)
    deferred_.push(clock_.when(early), std::move(intent));
  else
    ready_.push_back(std::move(intent));
}

void intent_queue::put_off(core::intent&& intent, steady when) {
  if (const auto known = known_.find(core::number(intent.id)); known != known_.end())
    known->second.was_put_off = true;
  deferred_.push(when, std::move(intent));
}

bool intent_queue::was_put_off(const core::intent& intent) const {
  const auto known = known_.find(core::number(intent.id));
  return known != known_.end() && known->second.was_put_off;
}

void intent_queue::forget(const core::intent& intent) {
  known_.erase(core::number(intent.id));
  if (const auto found = misfires_.find(intent.job); found != misfires_.end() && found->second == intent.id)
    misfires_.erase(found);
}

void intent_queue::take_due(steady t) {
  for (auto& intent : deferred_.take_due(t))
    wait_for(std::move(intent), clock_.at(t)); // the civil clock may have been set back
}

std::vector<core::intent> intent_queue::take_ready(std::size_t room) {
  const auto is_instant = [](const core::intent& intent) { return core::is_reserved(intent.kind); };
  std::size_t instants = 0;
  if (ready_.size() > room)
    instants = static_cast<std::size_t>(std::count_if(ready_.begin(), ready_.end(), is_instant));
  std::vector<core::intent> taken;
  if (instants == 0 || instants == ready_.size()) {
    const auto end = ready_.begin() + static_cast<std::ptrdiff_t>(std::min(room, ready_.size()));
    taken.assign(std::make_move_iterator(ready_.begin()), std::make_move_iterator(end));
    ready_.erase(ready_.begin(), end);
    return taken;
  }
  auto others_left = std::min(ready_.size() - instants, room - std::min(instants, room / 2));
  auto instants_left = std::min(instants, room - others_left);
  for (auto& intent : std::exchange(ready_, {})) {
    auto& left = is_instant(intent) ? instants_left : others_left;
    if (left == 0) {
      ready_.push_back(std::move(intent));
    } else {
      --left;
      taken.push_back(std::move(intent));
    }
  }
  return taken;
}

std::vector<core::intent> intent_queue::take_all_if_missed(steady t) {
  if (std::none_of(ready_.begin(), ready_.end(), [this, now = clock_.at(t)](const core::intent& intent) {
        return core::needs_misfire_decision(intent, now, misfire_after_, misfires_);
      }))
    return {};
  std::vector<core::intent> all{std::make_move_iterator(ready_.begin()), std::make_move_iterator(ready_.end())};
  ready_.clear();
  return all;
}

void intent_queue::put_back(std::vector<core::intent>&& intents) {
  std::move(intents.begin(), intents.end(), std::back_inserter(ready_));
}

core::misfire_decision intent_queue::decide(std::vector<core::intent>&& ready, steady t,
                                            const std::function<core::job_ptr(core::job_id)>& spec_of) {
  return core::apply_misfire_policy(std::move(ready), clock_.at(t), misfire_after_, spec_of, misfires_);
}

void intent_queue::forget_dropped(const std::vector<core::dropped_instant>& instants) {
  for (const auto& one : instants)
    known_.erase(core::number(one.id));
}

bool intent_queue::has_reserved() const {
  return std::any_of(known_.begin(), known_.end(), [](const auto& known) { return core::is_reserved(known.second.kind); });
}

core::milliseconds intent_queue::reserved_lateness(steady t) {
  take_due(t);
  const auto now = clock_.at(t);
  core::milliseconds late{0};
  for (const auto& intent : ready_)
    if (core::is_reserved(intent.kind) && !was_put_off(intent))
      late = std::max(late, now - intent.fire_at);
  return late;
}

void intent_queue::clear() {
  ready_.clear();
  deferred_.clear();
  known_.clear();
  misfires_.clear();
}

} // namespace ringmaster::actors
