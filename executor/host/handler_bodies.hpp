#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/executor/bodies.hpp"
#include "executor/handlers.hpp"
#include "executor/host/task_threads.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

struct handler_tools {
  log_opener open_log;
  /// For coroutines: opens a log that holds no file open while they wait.
  log_opener open_waiting_log;
  /// Null when no handler is a coroutine.
  std::shared_ptr<task_threads> threads;
};

/// Finds handlers by name, and delegates all types but `BEAN` to `others`.
class handler_bodies final : public actors::body_source {
public:
  /// `others`: null: other types are answered as invalid.
  handler_bodies(const handlers& known, const handler_tools& tools, std::unique_ptr<actors::body_source> others);

  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const actors::run_body>& held) override;

private:
  const std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> bodies_;
  const std::unique_ptr<actors::body_source> others_;
};

} // namespace ringmaster::executor
