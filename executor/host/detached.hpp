#pragma once

#include <coroutine>
#include <exception>

namespace ringmaster::executor {

/// A coroutine without an awaiter. It destroys itself at its end, so its frame lives as long as it can be resumed.
struct detached {
  struct promise_type {
    [[nodiscard]] detached get_return_object() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

} // namespace ringmaster::executor
