#pragma once

// Tasks of storage_actor, and its reports about ended runs.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/result.hpp"
#include "core/run/run.hpp"
#include "protocol/actor_interfaces.hpp"

namespace ringmaster::protocol {

/// Priority of a task at storage_actor.
enum class store_turn : std::uint8_t {
  /// Before all waiting tasks: a lease depends on it.
  first,
  /// Before claims and results.
  usual,
  /// When no claim and no result waits, or after a second: the task is not urgent, and may be large.
  patient,
};

/// A use case on a store, run on its worker's thread. Gets an error instead of a store that cannot be opened now.
struct store_task {
  std::function<void(core::result<storage::store*>)> run;
  store_turn turn = store_turn::usual;
};

struct store_listener {
  intent_listener intents;
  stray_listener strays{};
  run_end_listener ends{};
};

/// Ends of runs that transactions stored.
struct runs_ended {
  std::vector<core::ended_run> items;
  /// Rows of dropped instants.
  std::vector<core::missed_row> missed = {};
};

} // namespace ringmaster::protocol
