#pragma once

// Rows that storage_actor stores in one transaction, with the answers that depend on them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/run/run.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Answer to the sender of a callback_batch, shared by the tasks that have one of its callbacks. Invariant: the answer is sent
/// once, when the last callback is durable or refused; one refused callback makes the answer a refusal.
class callback_answer {
public:
  using promise = caf::typed_response_promise<protocol::callbacks_stored>;

  callback_answer(promise to_sender, std::size_t callbacks) : promise_{std::move(to_sender)}, open_{callbacks} {}

  /// Records that one more callback is durable.
  void done();
  /// Records that one more callback was refused.
  void refuse(const core::error& why);

private:
  promise promise_;
  std::size_t open_;
  std::optional<core::error> refusal_;
};

/// One transaction of storage_actor with results of runs and ends of claims. Invariant: each callback of the batch has its
/// answer; parts that are taken out keep theirs, and have the same owner. Belongs to storage_actor; while a worker stores the
/// task, only the worker's thread reads its batch.
class record_task {
public:
  /// `owner`: the incarnation that claimed the runs; `shared`: Java admins read the rows.
  record_task(core::node_incarnation owner, bool shared);

  void add(std::vector<core::trigger_result>&& triggers);
  /// Adds all callbacks of one sender. `to_sender` is answered once each of them was stored or refused.
  void add(std::vector<core::callback>&& callbacks, callback_answer::promise to_sender);
  /// Adds claims whose runs are all recorded, to be deleted.
  void add_resolved(std::vector<std::int64_t>&& claims);

  [[nodiscard]] const core::record_batch& batch() const noexcept { return batch_; }

  /// Removes and returns the part of a refused batch that is to be stored on its own, before the rest: the ends of claims, then
  /// the lower half of the runs. Empty if only one run, or only ends of claims, are left.
  [[nodiscard]] std::optional<record_task> take_part();
  /// Removes and returns the results of `runs`.
  [[nodiscard]] record_task take_out(const std::vector<core::log_id>& runs);

  /// Returns false if the results were never held because another transaction has the rows of their runs.
  [[nodiscard]] bool was_held() const noexcept { return held_for_ > std::chrono::milliseconds{0}; }
  /// Returns the time for which the results are to be held now: longer each time.
  [[nodiscard]] std::chrono::milliseconds next_hold() noexcept;

  /// Reports all callbacks as durable.
  void answer() const;
  /// Reports all callbacks as refused.
  void refuse(const core::error& why) const;

private:
  template <class Wanted>
  [[nodiscard]] record_task take_out_if(Wanted wanted);

  core::record_batch batch_;
  /// One entry for each callback of the batch.
  std::vector<std::shared_ptr<callback_answer>> answers_;
  /// Length of the last hold; zero: there was none.
  std::chrono::milliseconds held_for_{0};
};

using record_task_ptr = std::shared_ptr<record_task>;

} // namespace ringmaster::actors
