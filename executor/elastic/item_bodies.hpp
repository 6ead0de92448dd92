#pragma once

// The code of item runs, as the actors see it. Free of CAF.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/run/trigger_request.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/sdk/elastic/item_context.hpp"
#include "executor/sdk/elastic/listeners.hpp"

namespace ringmaster::executor::elastic {

/// One item run that is about to begin.
struct item_work {
  std::string handler;
  item_facts facts;
  item_control_ptr control;
  /// Names the log of the run: the run's number, the job's number, and the moment of its start.
  core::run_identity log;
};

/// Function of listeners. The first two are those of each-node listeners.
enum class listener_call : std::uint8_t { before, after, before_all, after_all };

[[nodiscard]] constexpr bool is_of_each_node(listener_call call) noexcept { return call <= listener_call::after; }

/// One call of the listeners of a job.
struct listener_work {
  core::elastic::elastic_job_id job{};
  listener_call call = listener_call::before;
  /// In the order of the definition.
  std::vector<std::string> names;
  batch_facts facts;
  /// Null: the call has no lease.
  item_control_ptr control = nullptr;
  /// Names the log of the call.
  core::run_identity log;
};

/// Bodies by the name of their handler, and listeners by their names. Any thread.
class item_bodies {
public:
  virtual ~item_bodies() = default;

  /// Begins a run and returns soon. `done` is called once, on any thread, when the body has ended: code 200 is success, any
  /// other a failure with its text. Returns false if no thread is available; then `done` is not called.
  virtual bool start(item_work work, std::function<void(core::run_outcome&&)> done) = 0;

  /// Calls listeners one after another, on a thread that may block, and returns soon. One that fails does not keep the others
  /// from being called. `done` is called once, on any thread: code 200 is success, any other the texts of the failures. Returns
  /// false if no thread is available; then `done` is not called.
  virtual bool call_listeners(listener_work work, std::function<void(core::run_outcome&&)> done) = 0;
};

} // namespace ringmaster::executor::elastic
