#pragma once

// The code of a handler, of an ordinary job or of an elastic one.

#include <functional>
#include <type_traits>
#include <utility>

#include "executor/task.hpp"

namespace ringmaster::executor {

/// A function or a coroutine of `Context`. Base of the classes that a program makes from its callables: each says which callables
/// it accepts.
template <class Context>
class handler_code {
public:
  using function = std::function<void(Context&)>;
  using coroutine = std::function<task<>(Context&)>;

  explicit operator bool() const noexcept { return function_ || coroutine_; }
  [[nodiscard]] bool is_coroutine() const noexcept { return coroutine_ != nullptr; }
  /// Return the code; empty for the other kind.
  [[nodiscard]] const function& as_function() const noexcept { return function_; }
  [[nodiscard]] const coroutine& as_coroutine() const noexcept { return coroutine_; }

protected:
  handler_code() = default;

  template <class Code>
  using returned_by = std::invoke_result_t<std::decay_t<Code>&, Context&>;
  /// True for the results of a function and of a coroutine.
  template <class Code>
  static constexpr bool returns_nothing = std::is_void_v<returned_by<Code>> || std::is_same_v<returned_by<Code>, task<>>;

  /// Keeps the code. No effect for code with another result, which the caller refuses.
  template <class Code>
  void keep(Code&& code) {
    if constexpr (std::is_void_v<returned_by<Code>>)
      function_ = std::forward<Code>(code);
    else if constexpr (std::is_same_v<returned_by<Code>, task<>>)
      coroutine_ = std::forward<Code>(code);
  }

private:
  function function_;
  coroutine coroutine_;
};

} // namespace ringmaster::executor
