#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>

#include "actors/executor/bodies.hpp"
#include "executor/awaiting.hpp"

namespace ringmaster::executor {

/// The few threads on which coroutine handlers run while they do not wait, and one that counts time for those that sleep. Who is
/// to go on waits for one of these threads, first come, first served.
class task_threads final : public actors::body_threads {
public:
  /// `blocking`: threads for what blocks. Throws std::system_error when there are no threads to have.
  task_threads(std::size_t count, std::shared_ptr<actors::body_threads> blocking);
  task_threads(const task_threads&) = delete;
  task_threads& operator=(const task_threads&) = delete;
  /// Its threads end by themselves. Before: `wait_until_idle` said true.
  ~task_threads() override;

  /// Unlike others it waits for a thread; false after `close` alone.
  bool start(std::function<void()> work) override;
  [[nodiscard]] bool start_blocking(std::function<void()> work) { return blocking_->start(std::move(work)); }
  void resume(std::coroutine_handle<> who);
  [[nodiscard]] bool is_one_of_them() const noexcept;

  /// `co_await threads.here()` goes on in one of them, at once where that is so already.
  [[nodiscard]] auto here() noexcept {
    struct awaiter {
      [[nodiscard]] bool await_ready() const noexcept { return threads.is_one_of_them(); }
      void await_suspend(std::coroutine_handle<> who) const { threads.resume(who); }
      void await_resume() const noexcept {}
      task_threads& threads;
    };
    return awaiter{*this};
  }

  /// A coroutine handler's run began, or came to its end.
  void run_began();
  void run_ended();

  /// From now on `start` says false; those that wait may still go on.
  void close();
  /// Whether every run came to its end within the limit. One that nobody resumes does not.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit) const;

private:
  friend class sleep_awaiter;
  struct shared;

  void add_sleeper(sleep_awaiter& sleeper);
  void wake(sleep_awaiter& sleeper) noexcept;

  const std::shared_ptr<shared> shared_;
  const std::shared_ptr<actors::body_threads> blocking_;
};

} // namespace ringmaster::executor
