#pragma once

// The code that runs: the interface between the actors that schedule runs and the classes that provide the code. Free of CAF.

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Threads for blocking work. Any thread.
class body_threads {
public:
  virtual ~body_threads() = default;

  /// Starts `work` at once, without waiting for other work to end. Returns false if no thread is available.
  virtual bool start(std::function<void()> work) = 0;
};

/// A handler, or the script of one version of a job's source. Two runs share one body if they have the same object. Its functions
/// block and run on threads of `body_threads`, for one job one after the other; but a run that ignores its stop may still be
/// active when the next one begins. Exceptions are caught by the callers.
struct run_body {
  /// Called before the first run of a worker and after its last; may be empty.
  std::function<void()> init;
  std::function<void()> destroy;
  /// Runs a request. The token requests a stop when the run was killed, is too late, or the process ends. `stop_reason` returns
  /// the reason for the log; it is set before the stop is requested.
  std::function<core::run_outcome(const core::trigger_request&, std::stop_token, const std::function<std::string()>& stop_reason)>
    run;

  /// Used instead of `run` by bodies that need no thread while they wait: begins the run and returns soon. `done` is called once,
  /// on any thread, when the run has ended or thrown, but not when `start` itself throws. The request lives until then.
  std::function<void(const core::trigger_request&, std::stop_token, std::function<std::string()> stop_reason,
                     std::function<void(core::run_outcome&&, std::exception_ptr thrown)> done)>
    start = {};
  /// Threads for `start`, which may delay it for other work. Null if the body has a `run`.
  std::shared_ptr<body_threads> few_threads = nullptr;
};

/// Finds the body for a request. Used only by executor_host, on CAF's workers, so it does no disk access.
class body_source {
public:
  virtual ~body_source() = default;

  /// Returns the body for the request. `held`: the current body of the job's worker, or null; returned again if it still fits.
  /// Errors: the context is the text of the response.
  virtual core::result<std::shared_ptr<const run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const run_body>& held) = 0;
};

} // namespace ringmaster::actors
