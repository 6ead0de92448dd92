#pragma once

// Metrics of the planner.

#include <caf/actor_system.hpp>

#include "actors/metrics.hpp"

namespace ringmaster::actors {

/// Returns the counter of missed instants without a run of their own, because one late run of the job replaces them.
[[nodiscard]] inline caf::telemetry::int_counter* make_merged_counter(caf::actor_system& system) {
  return make_counter(system, "firings-merged-by-misfire",
                      "Missed instants that a late run (FIRE_ONCE_NOW) replaces besides one.");
}

/// Counters of schedule_actor in the registry of the actor system.
struct schedule_metrics {
  explicit schedule_metrics(caf::actor_system& system)
    : claimed{make_counter(system, "firings-claimed", "Runs claimed by this node.")},
      dropped{make_counter(system, "firings-dropped-by-misfire", "Instants dropped by the misfire policy DO_NOTHING.")},
      merged{make_merged_counter(system)},
      deferred{make_counter(system, "firings-deferred", "Times a due job found its lane full and stayed due.")},
      lost{make_counter(system, "claims-lost", "Schedule moves that lost the compare-and-set.")},
      locked{
        make_counter(system, "claims-locked", "Times a claim skipped a job or an intent whose row another transaction held.")},
      unreserved{make_counter(system, "reservations-dropped", "Reserved instants of jobs that were edited since.")} {}

  caf::telemetry::int_counter* claimed;
  caf::telemetry::int_counter* dropped;
  caf::telemetry::int_counter* merged;
  caf::telemetry::int_counter* deferred;
  caf::telemetry::int_counter* lost;
  caf::telemetry::int_counter* locked;
  caf::telemetry::int_counter* unreserved;
};

} // namespace ringmaster::actors
