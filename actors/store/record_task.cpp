#include "actors/store/record_task.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Delay before a run whose row another transaction holds is recorded again.
constexpr auto held_wait_min = 100ms;
constexpr auto held_wait_max = 2000ms;

// Returns a log id that splits the runs of the batch into two non-empty parts; empty if there is only one run.
std::optional<core::log_id> middle_of(const core::record_batch& batch) {
  std::vector<core::log_id> ids;
  ids.reserve(batch.triggers.size() + batch.callbacks.size());
  for (const auto& trigger : batch.triggers)
    ids.push_back(trigger.id);
  for (const auto& callback : batch.callbacks)
    ids.push_back(callback.id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids.size() < 2 ? std::nullopt : std::optional{ids[ids.size() / 2]};
}

} // namespace

void callback_answer::done() {
  if (--open_ > 0)
    return;
  if (refusal_)
    promise_.deliver(protocol::to_caf(*refusal_));
  else
    promise_.deliver(protocol::callbacks_stored{});
}

void callback_answer::refuse(const core::error& why) {
  refusal_ = why;
  done();
}

record_task::record_task(core::node_incarnation owner, bool shared) {
  batch_.owner = std::move(owner);
  batch_.shared = shared;
}

void record_task::add(std::vector<core::trigger_result>&& triggers) {
  std::move(triggers.begin(), triggers.end(), std::back_inserter(batch_.triggers));
}

void record_task::add(std::vector<core::callback>&& callbacks, callback_answer::promise to_sender) {
  const auto answer = std::make_shared<callback_answer>(std::move(to_sender), callbacks.size());
  answers_.insert(answers_.end(), callbacks.size(), answer);
  std::move(callbacks.begin(), callbacks.end(), std::back_inserter(batch_.callbacks));
}

void record_task::add_resolved(std::vector<std::int64_t>&& claims) {
  std::move(claims.begin(), claims.end(), std::back_inserter(batch_.resolved_claims));
}

// Leaves the ends of claims in this task.
template <class Wanted>
record_task record_task::take_out_if(Wanted wanted) {
  record_task taken{batch_.owner, batch_.shared};
  taken.held_for_ = held_for_;
  const auto answers = std::exchange(answers_, {});
  for (auto& trigger : std::exchange(batch_.triggers, {}))
    (wanted(trigger.id) ? taken : *this).batch_.triggers.push_back(std::move(trigger));
  auto answer = answers.begin();
  for (auto& callback : std::exchange(batch_.callbacks, {})) {
    auto& part = wanted(callback.id) ? taken : *this;
    part.batch_.callbacks.push_back(std::move(callback));
    part.answers_.push_back(*answer++);
  }
  return taken;
}

// Halves the batch until the refused run is alone, so that its neighbours are stored; trigger result and callback of one run stay
// together.
std::optional<record_task> record_task::take_part() {
  if (!batch_.resolved_claims.empty() && !(batch_.triggers.empty() && batch_.callbacks.empty())) {
    record_task claims{batch_.owner, batch_.shared};
    claims.add_resolved(std::exchange(batch_.resolved_claims, {}));
    return claims;
  }
  if (const auto middle = middle_of(batch_))
    return take_out_if([middle](core::log_id id) { return id < *middle; });
  return std::nullopt;
}

record_task record_task::take_out(const std::vector<core::log_id>& runs) {
  std::unordered_set<std::int64_t> ids;
  for (const auto id : runs)
    ids.insert(core::number(id));
  return take_out_if([&ids](core::log_id id) { return ids.contains(core::number(id)); });
}

std::chrono::milliseconds record_task::next_hold() noexcept {
  held_for_ = std::clamp<std::chrono::milliseconds>(held_for_ * 2, held_wait_min, held_wait_max);
  return held_for_;
}

void record_task::answer() const {
  for (const auto& each : answers_)
    each->done();
}

void record_task::refuse(const core::error& why) const {
  for (const auto& each : answers_)
    each->refuse(why);
}

} // namespace ringmaster::actors
