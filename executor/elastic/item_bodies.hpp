#pragma once

// The code of item runs, as the actors see it. Free of CAF.

#include <functional>
#include <memory>
#include <string>

#include "core/run/trigger_request.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/sdk/elastic/item_context.hpp"

namespace ringmaster::executor::elastic {

/// One item run that is about to begin.
struct item_work {
  std::string handler;
  item_facts facts;
  item_control_ptr control;
  /// Names the log of the run: the run's number, the job's number, and the moment of its start.
  core::run_identity log;
};

/// Bodies by the name of their handler. Any thread.
class item_bodies {
public:
  virtual ~item_bodies() = default;

  /// Begins a run and returns soon. `done` is called once, on any thread, when the body has ended: code 200 is success, any
  /// other a failure with its text. Returns false if no thread is available; then `done` is not called.
  virtual bool start(item_work work, std::function<void(core::run_outcome&&)> done) = 0;
};

} // namespace ringmaster::executor::elastic
