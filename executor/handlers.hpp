#pragma once

// The jobs that a process can run, by name.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "executor/job_context.hpp"

namespace ringmaster::executor {

/// The code of a job: a function that does the work of one run. It blocks as long as it likes, on a thread of its own; runs of
/// one job come one after the other, those of different jobs at the same time. What it throws ends the run as failed, with the
/// exception's text.
using handler = std::function<void(job_context&)>;

struct handler_hooks {
  /// Before the first run of a job's worker, and after its last: a worker ends when its job had nothing to do for long, when it
  /// is killed, or with the process. On the worker's thread; what they throw is logged and changes nothing.
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

  /// Errors: `conflict` for a name that is taken, `invalid_argument` for an empty name or function.
  core::result<void> add(std::string name, handler run, handler_hooks hooks = {});

  [[nodiscard]] const std::map<std::string, std::shared_ptr<const entry>>& all() const noexcept { return by_name_; }

private:
  std::map<std::string, std::shared_ptr<const entry>> by_name_;
};

} // namespace ringmaster::executor
