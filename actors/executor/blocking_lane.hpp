#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "actors/executor/bodies.hpp"

namespace ringmaster::actors {

/// Work of one actor that blocks, one piece after the other on threads of `body_threads`. A member of the actor's state: whatever
/// queued while a thread was busy goes to the next one together. When no thread can be had the work waits for `retry`.
class blocking_lane {
public:
  /// Runs on a thread; what it returns runs in the actor, in the order of the work.
  using work = std::function<std::function<void()>()>;
  /// Brings it there: sends `work_done` to the actor, who calls `done`. From a thread.
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
  /// Pieces that no thread has yet.
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
