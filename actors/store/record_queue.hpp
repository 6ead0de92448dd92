#pragma once

// Results of runs that wait for the store, and their batching.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "actors/store/record_task.hpp"
#include "core/run/run.hpp"
#include "protocol/caf.hpp"

namespace ringmaster::actors {

/// Queue of results and of ends of claims, which become record tasks only when a worker is free. Invariant: a result that was
/// added is either here or in a task that `next` returned. Repeated tasks precede new ones, and a batch never mixes trigger
/// results of this incarnation with those of earlier ones. Part of the state of storage_actor.
class record_queue {
public:
  using steady = caf::actor_clock::time_point;

  /// `rows_max`: results of each kind in one batch. A larger request for callbacks stays whole.
  explicit record_queue(std::size_t rows_max) : rows_max_{rows_max} {}

  /// Adds the result of a run that an open claim of this incarnation holds.
  void add(core::trigger_result&& result) { triggers_.push_back(std::move(result)); }
  /// Adds the result of a run that no open claim of this incarnation holds: an earlier incarnation sent the run.
  void add_former(core::trigger_result&& result) { former_triggers_.push_back(std::move(result)); }
  void add(std::vector<core::callback>&& callbacks, callback_answer::promise to_sender);
  /// Adds a claim of this incarnation that is to be deleted, because its runs are recorded.
  void add_resolved(std::int64_t claim, steady t);

  /// Ends the incarnation: its results become former ones. Its claims are left to the next incarnation.
  void end_incarnation();

  /// Returns true if there is something to store at `t`. Ends of claims alone wait a while for results.
  [[nodiscard]] bool is_due(steady t) const noexcept;
  /// Removes and returns the next task, when one is due. `life`: this incarnation; `shared`: Java admins read the rows.
  [[nodiscard]] record_task_ptr next(const core::node_incarnation& incarnation, bool shared);

  /// Puts a task back whose transaction failed, or a part of it. The task that was put back last is next.
  void repeat(record_task_ptr task) { repeated_.push_front(std::move(task)); }
  /// Puts a task back whose rows another transaction holds; other results do not wait for it.
  void hold(record_task_ptr task, steady t);
  /// Releases the held tasks whose time has come; they are repeated.
  void release_held(steady t);

  [[nodiscard]] std::size_t triggers() const noexcept { return triggers_.size() + former_triggers_.size(); }
  /// Returns the number of callbacks that wait, new or held.
  [[nodiscard]] std::size_t callbacks() const noexcept { return callbacks_waiting_; }

private:
  struct waiting_callbacks {
    std::vector<core::callback> items;
    callback_answer::promise to_sender;
  };

  /// Task that waits for rows that another transaction holds.
  struct held_task {
    record_task_ptr task;
    steady again{};
  };

  void add_callbacks_to(record_task& task);

  std::size_t rows_max_;
  std::deque<core::trigger_result> triggers_;
  std::deque<core::trigger_result> former_triggers_;
  std::deque<waiting_callbacks> callbacks_;
  std::size_t callbacks_waiting_ = 0;
  /// Claims to be deleted, and the time at which the first of them was added.
  std::vector<std::int64_t> resolved_;
  steady resolved_since_{};
  std::deque<record_task_ptr> repeated_;
  /// In no order; few.
  std::vector<held_task> held_;
};

} // namespace ringmaster::actors
