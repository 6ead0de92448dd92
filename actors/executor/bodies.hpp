#pragma once

// What runs: the seam between the actors that decide when and those who bring the code. Nothing here knows CAF.

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Threads for what blocks. Any thread.
class body_threads {
public:
  virtual ~body_threads() = default;

  /// Runs `work` at once, beside whatever runs: never waits for other work to end. False: no thread could be had.
  virtual bool start(std::function<void()> work) = 0;
};

/// A handler, or the script of one version of a job's source. Two runs have the same one when they have the same object. Its
/// functions block and run on threads of `body_threads`, for one job one after the other: but a run that ignored its stop may
/// still be there when the next one begins. What they throw is caught where they are called.
struct run_body {
  /// Before the first run of a worker, and after its last; may be empty.
  std::function<void()> init;
  std::function<void()> destroy;
  /// The token asks to stop: the run was killed, is too late, or the process ends. The text says why, for the log; it is there
  /// before the stop is requested.
  std::function<core::run_outcome(const core::trigger_request&, std::stop_token, const std::function<std::string()>& stop_reason)>
    run;

  /// Instead of `run`, for what needs no thread while it waits: begins the run and returns soon. `done` is called once, in any
  /// thread, when the run has ended or has thrown something; not when `start` itself throws. The request lives until then.
  std::function<void(const core::trigger_request&, std::stop_token, std::function<std::string()> stop_reason,
                     std::function<void(core::run_outcome&&, std::exception_ptr thrown)> done)>
    start = {};
  /// Where `start` is called, and these may let it wait for other work. Null beside a `run`.
  std::shared_ptr<body_threads> few_threads = nullptr;
};

/// Finds what a request asks for. Used by executor_host alone, on CAF's workers: it reads no disk.
class body_source {
public:
  virtual ~body_source() = default;

  /// `held`: what the job's worker has now, or null; returned again when it still fits. Errors: the context is the text to
  /// answer.
  virtual core::result<std::shared_ptr<const run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const run_body>& held) = 0;
};

} // namespace ringmaster::actors
