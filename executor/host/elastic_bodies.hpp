#pragma once

#include <functional>
#include <memory>

#include "actors/executor/bodies.hpp"
#include "executor/elastic/item_bodies.hpp"
#include "executor/files/log_files.hpp"
#include "executor/files/log_place.hpp"
#include "executor/host/task_threads.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

namespace ringmaster::executor {

/// Runs the handlers of elastic jobs, with a log file for each item run: functions on threads that may block, coroutines on those
/// of `tasks`. Calls their listeners on threads that may block.
class elastic_bodies final : public elastic::item_bodies {
public:
  /// `tasks`: null if no handler is a coroutine. `logs`: files of their own, because item runs have numbers of their own.
  elastic_bodies(elastic::elastic_handlers known, std::shared_ptr<actors::body_threads> threads,
                 std::shared_ptr<task_threads> tasks, std::shared_ptr<log_files> logs, log_options options);

  bool start(elastic::item_work work, std::function<void(core::run_outcome&&)> done) override;
  bool call_listeners(elastic::listener_work work, std::function<void(core::run_outcome&&)> done) override;

private:
  /// Outlives this object while a body is active.
  struct shared;
  struct call;
  const std::shared_ptr<const shared> shared_;
};

} // namespace ringmaster::executor
