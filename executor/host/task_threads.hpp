#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "executor/awaiting.hpp"

namespace ringmaster::executor {

/// The few threads on which coroutine handlers execute, and one timer thread for those that sleep. Coroutines to resume wait for
/// one of these threads, first come, first served.
class task_threads final : public actors::body_threads {
public:
  /// `blocking`: threads for blocking work. Throws std::system_error when no threads are available.
  task_threads(std::size_t count, std::shared_ptr<actors::body_threads> blocking);
  task_threads(const task_threads&) = delete;
  task_threads& operator=(const task_threads&) = delete;
  /// Ends its threads. Precondition: `wait_until_idle` returned true.
  ~task_threads() override;

  /// Queues the work for a thread, unlike other body_threads. Returns false only after `close`.
  bool start(std::function<void()> work) override;
  [[nodiscard]] bool start_blocking(std::function<void()> work) { return blocking_->start(std::move(work)); }
  void resume(std::coroutine_handle<> who);
  [[nodiscard]] bool is_one_of_them() const noexcept;

  /// Resumes on one of these threads; at once if the caller is already on one: `co_await threads.here()`.
  [[nodiscard]] auto here() noexcept {
    struct awaiter {
      [[nodiscard]] bool await_ready() const noexcept { return threads.is_one_of_them(); }
      void await_suspend(std::coroutine_handle<> who) const { threads.resume(who); }
      void await_resume() const noexcept {}
      task_threads& threads;
    };
    return awaiter{*this};
  }

  /// Called when a coroutine handler's run begins and ends.
  void run_began();
  void run_ended();

  /// Makes `start` return false from now on; waiting coroutines may still resume.
  void close();
  /// Returns whether every run ended within the limit. A coroutine that is never resumed does not end.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit) const;

private:
  friend class sleep_awaiter;
  struct shared;

  void add_sleeper(sleep_awaiter& sleeper);
  void wake(sleep_awaiter& sleeper) noexcept;

  const std::shared_ptr<shared> shared_;
  const std::shared_ptr<actors::body_threads> blocking_;
  /// Written before there is work, then read-only.
  std::vector<std::thread> workers_;
  std::thread timer_;
};

} // namespace ringmaster::executor
