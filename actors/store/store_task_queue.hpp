#pragma once

// Store tasks of other actors that wait for a worker, by turn.

#include <deque>
#include <optional>

#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Task that waits, with the promise of its answer.
struct waiting_store_task {
  protocol::store_task task;
  caf::typed_response_promise<void> promise;
  caf::actor_clock::time_point since{};
};

/// Queue of store tasks in the order of their turns. Invariant: a task of turn `first` precedes all others, and a patient one
/// lets claims and results precede only for a limited time. Part of the state of storage_actor.
class store_task_queue {
public:
  using steady = caf::actor_clock::time_point;

  void add(waiting_store_task&& task);

  /// Removes and returns the task that precedes claims and results; empty if there is none.
  [[nodiscard]] std::optional<waiting_store_task> next(steady t);
  /// Removes and returns the oldest patient task; empty if there is none.
  [[nodiscard]] std::optional<waiting_store_task> next_patient();

private:
  std::deque<waiting_store_task> urgent_;
  std::deque<waiting_store_task> patient_;
};

} // namespace ringmaster::actors
