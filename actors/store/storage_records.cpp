// storage_actor: batches of results that were stored only in part or not at all.

#include <algorithm>
#include <utility>

#include "actors/store/storage_actor.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Delay before a run whose row another transaction holds is recorded again.
constexpr auto held_wait_min = 100ms;
constexpr auto held_wait_max = 2000ms;

} // namespace

// Removes the `wanted` runs from `rest` and returns them.
template <class Wanted>
storage_actor_state::record_task storage_actor_state::take_out(record_task& rest, Wanted wanted) {
  auto whole = std::exchange(rest, {});
  record_task taken;
  taken.batch.owner = rest.batch.owner = whole.batch.owner;
  taken.batch.shared = rest.batch.shared = whole.batch.shared;
  taken.held_for = rest.held_for = whole.held_for;
  rest.batch.resolved_claims = std::move(whole.batch.resolved_claims);
  for (auto& trigger : whole.batch.triggers)
    (wanted(trigger.id) ? taken : rest).batch.triggers.push_back(std::move(trigger));
  for (std::size_t i = 0; i < whole.batch.callbacks.size(); ++i) {
    auto& part = wanted(whole.batch.callbacks[i].id) ? taken : rest;
    part.batch.callbacks.push_back(std::move(whole.batch.callbacks[i]));
    part.answers.push_back(std::move(whole.answers[i]));
  }
  return taken;
}

// The store would refuse the batch again. It is halved until the refused run is alone, so that its neighbours are stored; trigger
// result and callback of one run stay together. A dropped trigger result leaves its claim open: recovery asks the executor about
// the run.
void storage_actor_state::refused(record_task& task, const core::error& why) {
  auto& batch = task.batch;
  if (!batch.resolved_claims.empty() && !(batch.triggers.empty() && batch.callbacks.empty())) {
    auto claims = std::make_shared<record_task>();
    claims->batch.owner = batch.owner;
    claims->batch.resolved_claims = std::exchange(batch.resolved_claims, {});
    repeated_records_.push_front(std::make_shared<record_task>(std::move(task)));
    repeated_records_.push_front(std::move(claims));
    return;
  }
  if (auto middle = middle_of(batch)) {
    auto rest = std::make_shared<record_task>(std::move(task));
    auto first = std::make_shared<record_task>(take_out(*rest, [middle](core::log_id id) { return id < *middle; }));
    repeated_records_.push_front(std::move(rest));
    repeated_records_.push_front(std::move(first));
    return;
  }
  for (const auto& trigger : batch.triggers)
    if (batch.owner == life_)
      close_run(trigger.claim, false);
  for (const auto& trigger : batch.triggers)
    log_->error("run={} trigger result refused by the store: {}", core::number(trigger.id), why.context);
  for (const auto& callback : batch.callbacks)
    log_->error("run={} result refused by the store: {}", core::number(callback.id), why.context);
  closed(task);
  if (!batch.resolved_claims.empty())
    log_->error("the store refused the end of {} claims: {}", batch.resolved_claims.size(), why.context);
  for (const auto& answer : task.answers)
    answer->refuse(why);
}

// Returns a log id that splits the runs of the batch into two non-empty parts; empty if there is only one run.
std::optional<core::log_id> storage_actor_state::middle_of(const core::record_batch& batch) {
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

// Holds the runs that were not stored because another transaction holds their rows. The others do not wait.
void storage_actor_state::hold(record_task& task, const std::vector<core::log_id>& locked) {
  std::unordered_set<std::int64_t> ids;
  for (const auto id : locked)
    ids.insert(core::number(id));
  auto held = std::make_shared<record_task>(
    take_out(task, [&ids](core::log_id id) { return ids.contains(core::number(id)); }));
  if (held->held_for == 0ms)
    log_->warn("{} results are waiting: another transaction holds the rows of their runs, the first is run={}", locked.size(),
               core::number(locked.front()));
  held->held_for = std::clamp<std::chrono::milliseconds>(held->held_for * 2, held_wait_min, held_wait_max);
  callbacks_waiting_ += held->batch.callbacks.size();
  metrics_.locked(locked.size());
  const auto again = self_->clock().now() + held->held_for;
  held_records_.push_back({std::move(held), again});
}

void storage_actor_state::release_held() {
  const auto now = self_->clock().now();
  std::erase_if(held_records_, [&](held_record& each) {
    if (now < each.again)
      return false;
    callbacks_waiting_ -= each.task->batch.callbacks.size();
    repeated_records_.push_back(std::move(each.task));
    return true;
  });
}

} // namespace ringmaster::actors
