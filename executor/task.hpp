#pragma once

// Awaitable coroutines: the type of handlers that wait without a thread, and of their parts.

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace ringmaster::executor {

template <class T = void>
class task;

/// Base of all task promises: a task begins when awaited, and its end resumes the awaiting coroutine without growing the stack.
class task_promise_base {
public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] auto final_suspend() const noexcept {
    struct resume_awaiting {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept { return awaiting; }
      void await_resume() const noexcept {}
      std::coroutine_handle<> awaiting;
    };
    return resume_awaiting{awaiting_};
  }
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

  void set_awaiting(std::coroutine_handle<> who) noexcept { awaiting_ = who; }

protected:
  void rethrow() const {
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

private:
  std::coroutine_handle<> awaiting_;
  std::exception_ptr thrown_;
};

template <class T>
class task_promise final : public task_promise_base {
public:
  task<T> get_return_object() noexcept;
  template <class Value>
  void return_value(Value&& value) {
    value_.emplace(std::forward<Value>(value));
  }
  T take() {
    rethrow();
    return std::move(*value_);
  }

private:
  std::optional<T> value_;
};

template <>
class task_promise<void> final : public task_promise_base {
public:
  task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const { rethrow(); }
};

/// A coroutine that ends with a `T`, or with an exception, which is rethrown where it is awaited. It begins when awaited and
/// continues on the thread that resumes it; the awaiting coroutine continues on the thread on which the task ended. Awaited at
/// most once, by `co_await child()` or `co_await std::move(kept)`. Because it begins late, referenced arguments must live until
/// then.
template <class T>
class [[nodiscard("a task does nothing until it is awaited")]] task {
public:
  static_assert(std::is_void_v<T> || std::is_object_v<T>, "a task ends with a value: a reference goes as a pointer");
  using promise_type = task_promise<T>;

  explicit task(std::coroutine_handle<promise_type> made) noexcept : made_{made} {}
  task(task&& other) noexcept : made_{std::exchange(other.made_, nullptr)} {}
  task& operator=(task&& other) noexcept {
    std::swap(made_, other.made_);
    return *this;
  }
  ~task() {
    if (made_)
      made_.destroy();
  }

  auto operator co_await() && noexcept {
    struct awaiter {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) const noexcept {
        child.promise().set_awaiting(who);
        return child;
      }
      T await_resume() const { return child.promise().take(); }
      std::coroutine_handle<promise_type> child;
    };
    return awaiter{made_};
  }
  /// Use `co_await std::move(it)`: a task can be awaited once.
  void operator co_await() & = delete;

private:
  std::coroutine_handle<promise_type> made_;
};

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

} // namespace ringmaster::executor
