#pragma once

// The jobs that a process can run, by name.

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/result.hpp"
#include "executor/job_context.hpp"
#include "executor/task.hpp"

namespace ringmaster::executor {

/// The code of a job: a function or a coroutine that does the work of one run. Runs of one job come one after the other, those of
/// different jobs at the same time. What it throws ends the run as failed, with the exception's text.
///
/// `void(job_context&)` blocks as long as it likes, on a thread of its own.
///
/// `task<>(job_context&)` is a coroutine, which has no thread while it waits. It begins on one of the executor's few threads for
/// coroutines, and is there again after `co_await context.sleep_for(…)` or `context.run_blocking(…)`; after another awaitable it
/// goes on in whatever thread resumed it. The context and the code itself, so also what a lambda holds, live until it has ended.
/// It is never ended from outside: one that nobody resumes is left for the rest of the process. g++ 12 translates some forms of
/// co_await wrongly: docs/executor.md says which.
class handler {
public:
  using function = std::function<void(job_context&)>;
  using coroutine = std::function<task<>(job_context&)>;

  handler() = default;
  template <class Code>
    requires(!std::same_as<std::remove_cvref_t<Code>, handler>)
  handler(Code&& code) { // NOLINT: whatever can be called is a handler
    static_assert(std::is_invocable_v<std::decay_t<Code>&, job_context&>, "a handler takes a job_context&, and nothing else");
    static_assert(std::is_copy_constructible_v<std::decay_t<Code>>,
                  "a handler can be copied: what cannot goes into a std::shared_ptr that it holds");
    if constexpr (std::is_invocable_v<std::decay_t<Code>&, job_context&>) {
      using returned = std::invoke_result_t<std::decay_t<Code>&, job_context&>;
      static_assert(std::is_void_v<returned> || std::is_same_v<returned, task<>>,
                    "a handler returns nothing, or task<> if it is a coroutine: its result it gives to the job_context");
      if constexpr (std::is_void_v<returned>)
        function_ = std::forward<Code>(code);
      else if constexpr (std::is_same_v<returned, task<>>)
        coroutine_ = std::forward<Code>(code);
    }
  }

  explicit operator bool() const noexcept { return function_ || coroutine_; }
  [[nodiscard]] bool is_coroutine() const noexcept { return coroutine_ != nullptr; }
  /// What it is not is empty.
  [[nodiscard]] const function& as_function() const noexcept { return function_; }
  [[nodiscard]] const coroutine& as_coroutine() const noexcept { return coroutine_; }

private:
  function function_;
  coroutine coroutine_;
};

struct handler_hooks {
  /// Before the first run of a job's worker, and after its last: a worker ends when its job had nothing to do for long, when it
  /// is killed, or with the process. On a thread that may block, whatever the handler is; what they throw is logged and changes
  /// nothing.
  std::function<void()> init = {};
  std::function<void()> destroy = {};
};

/// Filled before the executor starts, then read only.
class handlers {
public:
  struct entry {
    handler run;
    handler_hooks hooks;
  };

  /// `run`: a function or a coroutine function. Errors: `conflict` for a name that is taken, `invalid_argument` for an empty name
  /// or function.
  core::result<void> add(std::string name, handler run, handler_hooks hooks = {});

  [[nodiscard]] const std::map<std::string, std::shared_ptr<const entry>>& all() const noexcept { return by_name_; }

private:
  std::map<std::string, std::shared_ptr<const entry>> by_name_;
};

} // namespace ringmaster::executor
