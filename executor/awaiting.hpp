#pragma once

// Awaitables of coroutine handlers other than tasks; created by `job_context`.

#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace ringmaster::executor {

class task_threads;

/// A sleep that a stop ends early. Resumes on a thread of `task_threads`; without them it blocks.
class [[nodiscard("write co_await")]] sleep_awaiter {
public:
  using clock = std::chrono::steady_clock;
  /// The threads refer to a sleeping object by its address.
  using places = std::multimap<clock::time_point, sleep_awaiter*>;

  sleep_awaiter(task_threads* threads, std::chrono::nanoseconds duration, std::stop_token stop)
    : threads_{threads}, duration_{duration}, stop_{std::move(stop)} {}
  sleep_awaiter(const sleep_awaiter&) = delete;
  sleep_awaiter& operator=(const sleep_awaiter&) = delete;

  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> who);
  /// Returns false if a stop was requested.
  bool await_resume() noexcept;

private:
  friend class task_threads;
  enum class phase { begins, sleeps, woken };
  struct alarm {
    sleep_awaiter* sleeper;
    void operator()() const noexcept;
  };

  task_threads* threads_;
  std::chrono::nanoseconds duration_;
  std::stop_token stop_;
  std::optional<std::stop_callback<alarm>> listening_;
  // The members below belong to the threads.
  std::coroutine_handle<> who_;
  places::iterator place_;
  phase phase_ = phase::begins;
};

/// Runs work on a thread that may block. Returns false if no thread is available.
[[nodiscard]] bool start_blocking(task_threads& threads, std::function<void()> work);
/// Resumes the coroutine on one of `threads`.
void resume_in(task_threads& threads, std::coroutine_handle<> who);
/// Returns the exception for a missing thread.
[[nodiscard]] std::exception_ptr no_thread_left();

/// A call on a thread that may block. Resumes on a thread of `task_threads`; without them the call is made in place. `Function`
/// may be a reference, because its target lives in the waiting coroutine.
template <class Function>
class [[nodiscard("write co_await")]] blocking_awaiter {
public:
  using value = std::invoke_result_t<Function&>;
  static_assert(!std::is_reference_v<value>, "blocking code returns a value: a reference goes as a pointer");

  blocking_awaiter(task_threads* threads, Function&& work) : threads_{threads}, work_{std::forward<Function>(work)} {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
    static_assert(
      std::is_lvalue_reference_v<Function> || std::is_trivially_destructible_v<Function>,
      "g++ 12 destroys the captures of a temporary lambda in a co_await expression twice: give the lambda a name first");
#endif
  }
  blocking_awaiter(const blocking_awaiter&) = delete;
  blocking_awaiter& operator=(const blocking_awaiter&) = delete;

  [[nodiscard]] bool await_ready() {
    if (!threads_)
      call();
    return !threads_;
  }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> who) {
    const bool started = start_blocking(*threads_, [this, who] {
      call();
      resume_in(*threads_, who);
    });
    // After a start this object may already be destroyed.
    if (!started)
      thrown_ = no_thread_left();
    return started;
  }
  value await_resume() {
    if (thrown_)
      std::rethrow_exception(thrown_);
    if constexpr (!std::is_void_v<value>)
      return std::move(*value_);
  }

private:
  void call() noexcept {
    try {
      if constexpr (std::is_void_v<value>)
        work_();
      else
        value_.emplace(work_());
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  struct nothing {};
  task_threads* threads_;
  Function work_;
  std::optional<std::conditional_t<std::is_void_v<value>, nothing, value>> value_;
  std::exception_ptr thrown_;
};

} // namespace ringmaster::executor
