#pragma once

// What storage_actor is asked to run, and whom it tells what came of it.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/result.hpp"
#include "core/run/run.hpp"
#include "protocol/actor_interfaces.hpp"

namespace ringmaster::protocol {

/// When a task at storage_actor has its turn.
enum class store_turn : std::uint8_t {
  /// Before all that wait already: a lease depends on it.
  first,
  /// Before claims and results.
  usual,
  /// When no claim and no result waits, or when it has waited for a second: it can wait, and may be large.
  patient,
};

/// A use case on a store, run on its worker's thread. An error instead of a store: it cannot be opened now.
struct store_task {
  std::function<void(core::result<storage::store*>)> run;
  store_turn turn = store_turn::usual;
};

struct store_listener {
  intent_listener intents;
  stray_listener strays{};
  run_end_listener ends{};
};

/// What transactions stored of how runs end.
struct runs_ended {
  std::vector<core::ended_run> items;
  /// Rows of dropped instants.
  std::vector<core::missed_row> missed = {};
};

} // namespace ringmaster::protocol
