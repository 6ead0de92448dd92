#pragma once

// Metrics of the node's own incarnation.

#include <caf/actor_system.hpp>

#include "actors/metrics.hpp"

namespace ringmaster::actors {

/// Metrics of node_actor and its parts in the registry of the actor system. Copies refer to the same metrics.
struct node_metrics {
  explicit node_metrics(caf::actor_system& system)
    : incarnations{make_counter(system, "node-lives", "Incarnations that this process began.")},
      lost_lives{make_counter(system, "node-lives-lost", "Incarnations that ended because the lease was not renewed.")},
      fenced_nodes{make_counter(system, "nodes-fenced", "Dead nodes that this node fenced.")},
      slots_served{system.metrics().gauge_singleton("ringmaster", "slots-served", "Slots of jobs that this node plans.")},
      clock_distrusted{system.metrics().gauge_singleton(
        "ringmaster", "clock-distrusted", "1 while this node plans nothing because its wall clock is not trusted.")},
      clock_steps{make_counter(system, "clock-steps", "Steps of this node's wall clock beyond cluster.clock_tolerance.")},
      went_back{make_counter(system, "database-set-back", "Times the database was found older than it had been.")} {}

  caf::telemetry::int_counter* incarnations;
  caf::telemetry::int_counter* lost_lives;
  caf::telemetry::int_counter* fenced_nodes;
  caf::telemetry::int_gauge* slots_served;
  caf::telemetry::int_gauge* clock_distrusted;
  caf::telemetry::int_counter* clock_steps;
  caf::telemetry::int_counter* went_back;
};

} // namespace ringmaster::actors
