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
#include "executor/handler_code.hpp"
#include "executor/job_context.hpp"
#include "executor/task.hpp"

namespace ringmaster::executor {

/// The code of a job: a function or a coroutine that does the work of one run. Runs of one job are sequential, those of different
/// jobs concurrent. An exception ends the run as failed, with the exception's text.
///
/// `void(job_context&)` may block and has its own thread.
///
/// `task<>(job_context&)` is a coroutine and needs no thread while it waits. It begins on one of the executor's few coroutine
/// threads, and returns to them after `co_await context.sleep_for(…)` or `context.run_blocking(…)`. After another awaitable it
/// continues on the thread that resumed it. The context and the code itself, including the captures of a lambda, live until it
/// has ended. The executor never destroys it early: a coroutine that is never resumed stays until the process ends. g++ 12
/// miscompiles some forms of co_await: see docs/executor.md.
class handler : public handler_code<job_context> {
public:
  handler() = default;
  template <class Code>
  requires(!std::same_as<std::remove_cvref_t<Code>, handler>)
    handler(Code&& code) { // NOLINT: implicit, so that any callable converts to a handler
    static_assert(std::is_invocable_v<std::decay_t<Code>&, job_context&>, "a handler takes a job_context&, and nothing else");
    static_assert(std::is_copy_constructible_v<std::decay_t<Code>>,
                  "a handler must be copyable: keep non-copyable members in a std::shared_ptr");
    if constexpr (std::is_invocable_v<std::decay_t<Code>&, job_context&>) {
      static_assert(returns_nothing<Code>,
                    "a handler returns void, or task<> if it is a coroutine: it passes its result to the job_context");
      keep(std::forward<Code>(code));
    }
  }
};

struct handler_hooks {
  /// Called before the first run of a job's worker, and after its last. A worker ends when its job was idle for long, when it is
  /// killed, or with the process. Called on a thread that may block, for every kind of handler; exceptions are only logged.
  std::function<void()> init = {};
  std::function<void()> destroy = {};
};

/// Filled before the executor starts, then read-only.
class handlers {
public:
  struct entry {
    handler run;
    handler_hooks hooks;
  };

  /// Registers a handler. `run`: a function or a coroutine function. Errors: `conflict` for a duplicate name, `invalid_argument`
  /// for an empty name or function.
  core::result<void> add(std::string name, handler run, handler_hooks hooks = {});

  [[nodiscard]] const std::map<std::string, std::shared_ptr<const entry>>& all() const noexcept { return by_name_; }

private:
  std::map<std::string, std::shared_ptr<const entry>> by_name_;
};

} // namespace ringmaster::executor
