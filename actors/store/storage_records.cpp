// storage_actor: batches of results, also those that were stored only in part or not at all.

#include <utility>

#include "actors/store/storage_actor.hpp"

namespace ringmaster::actors {

bool storage_actor_state::start_record(client& at) {
  if (!at.takes_records || !records_.is_due(steady_now()))
    return false;
  at.last = work::record;
  run_record(at, records_.next(incarnation_, shared_));
  return true;
}

void storage_actor_state::run_record(client& at, record_task_ptr task) {
  at.busy = true;
  auto index = static_cast<std::size_t>(&at - workers_.data());
  ask_store<core::record_outcome>(
    self_, at.worker, [task, t = now()](storage::store& store) { return store.firings().record(task->batch(), t); },
    [this, index, task, since = steady_now()](core::result<core::record_outcome>&& outcome) {
      workers_[index].busy = false;
      const auto& batch = task->batch();
      const auto* failure = outcome ? nullptr : &outcome.error();
      measure(store_work::record, batch.triggers.size() + batch.callbacks.size(), since, failure);
      if (workers_[index].back_off.must_repeat(failure, "record", steady_now(), log_))
        records_.repeat(task);
      else
        recorded(task, std::move(outcome));
      pump();
    });
}

void storage_actor_state::recorded(const record_task_ptr& task, core::result<core::record_outcome>&& outcome) {
  if (!outcome)
    return refused(task, outcome.error());
  if (!outcome->locked_runs.empty())
    hold(*task, outcome->locked_runs);
  const auto& batch = task->batch();
  metrics_.stored(outcome->callbacks_stored, batch.callbacks.size(), outcome->triggers_stored);
  closed(*task);
  warn_of_ignored_callbacks(log_, *outcome);
  failures_.write(log_, batch, *outcome, steady_now());
  task->answer();
  // Numbers of adopted claims start again with each incarnation.
  if (!outcome->fenced && batch.owner == incarnation_)
    close_runs(batch.triggers, true);
  if (ends_ && !outcome->ended.empty())
    protocol::send(self_, ends_, protocol::runs_ended{std::move(outcome->ended)});
  if (intents_ && !outcome->intents.empty())
    protocol::send(self_, intents_, protocol::intent_batch{std::move(outcome->intents)});
}

// Holds the runs that were not stored because another transaction holds their rows. The others do not wait.
void storage_actor_state::hold(record_task& task, const std::vector<core::log_id>& locked) {
  auto held = std::make_shared<record_task>(task.take_out(locked));
  if (!held->was_held())
    log_->warn("{} results are waiting: another transaction holds the rows of their runs, the first is run={}", locked.size(),
               core::number(locked.front()));
  metrics_.locked(locked.size());
  records_.hold(std::move(held), steady_now());
}

// The store would refuse the batch again, so its parts are repeated one by one. A dropped trigger result leaves its claim open:
// recovery asks the executor about the run.
void storage_actor_state::refused(const record_task_ptr& task, const core::error& why) {
  if (auto part = task->take_part()) {
    records_.repeat(task);
    records_.repeat(std::make_shared<record_task>(std::move(*part)));
    return;
  }
  const auto& batch = task->batch();
  if (batch.owner == incarnation_)
    close_runs(batch.triggers, false);
  for (const auto& trigger : batch.triggers)
    log_->error("run={} trigger result refused by the database: {}", core::number(trigger.id), why.context);
  for (const auto& callback : batch.callbacks)
    log_->error("run={} result refused by the database: {}", core::number(callback.id), why.context);
  closed(*task);
  if (!batch.resolved_claims.empty())
    log_->error("the database refused the end of {} claims: {}", batch.resolved_claims.size(), why.context);
  task->refuse(why);
}

void storage_actor_state::close_runs(const std::vector<core::trigger_result>& triggers, bool recorded) {
  for (const auto& trigger : triggers)
    if (claims_.close_run(trigger.claim, recorded))
      records_.add_resolved(trigger.claim, steady_now());
}

// Called also if the deletion failed.
void storage_actor_state::closed(const record_task& task) {
  if (task.batch().owner == incarnation_)
    claims_.closed(task.batch().resolved_claims);
}

} // namespace ringmaster::actors
