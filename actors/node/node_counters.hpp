#pragma once

#include <cstdint>

#include <caf/actor_system.hpp>

#include "actors/metrics.hpp"
#include "actors/recovery/recovery_metrics.hpp"
#include "actors/store/store_metrics.hpp"
#include "actors/trigger/trigger_metrics.hpp"
#include "core/cluster/counter_history.hpp"
#include "core/cluster/live_figures.hpp"

namespace ringmaster::actors {

/// Reader of the metrics that the actors of this node record: atomic numbers, so that no actor is asked. One reading visits a
/// few numbers of each group, some ten microseconds with 500 groups.
class node_counters {
public:
  explicit node_counters(caf::actor_system& system);

  [[nodiscard]] core::counter_totals totals() const;
  /// Returns the present load, without rates.
  [[nodiscard]] core::node_load load() const;

private:
  trigger_metrics triggers_;
  store_metrics store_;
  recovery_metrics recovery_;
  metric_family<caf::telemetry::int_counter>* run_ends_;
};

} // namespace ringmaster::actors
