#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "actors/executor/bodies.hpp"

namespace ringmaster::actors {

/// Blocking work of one actor, executed in order on threads of `body_threads`. A member of the actor's state. Work that was
/// queued while a thread was busy runs together next. If no thread is available the work waits for `retry`.
class blocking_lane {
public:
  /// Runs on a thread. The returned function runs in the actor, in the order of the work.
  using work = std::function<std::function<void()>()>;
  /// Sends `work_done` to the actor, which calls `done`. Called from a thread.
  using delivery = std::function<void(std::vector<std::function<void()>>&& then)>;

  blocking_lane(std::shared_ptr<body_threads> threads, delivery deliver)
    : threads_{std::move(threads)}, deliver_{std::move(deliver)} {}

  void add(work next) {
    waiting_.push_back(std::move(next));
    start();
  }
  void done(const std::vector<std::function<void()>>& then) {
    busy_ = false;
    start();
    for (const auto& step : then)
      if (step)
        step();
  }
  void retry() { start(); }

  [[nodiscard]] bool idle() const noexcept { return !busy_ && waiting_.empty(); }
  /// Returns the number of work items that no thread has taken yet.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
  void start() {
    if (busy_ || waiting_.empty())
      return;
    auto batch = std::make_shared<std::deque<work>>(std::exchange(waiting_, {}));
    busy_ = threads_->start([batch, deliver = deliver_] {
      std::vector<std::function<void()>> then;
      for (auto& piece : *batch)
        then.push_back(piece());
      deliver(std::move(then));
    });
    if (!busy_)
      waiting_.swap(*batch);
  }

  std::shared_ptr<body_threads> threads_;
  delivery deliver_;
  std::deque<work> waiting_;
  bool busy_ = false;
};

} // namespace ringmaster::actors
