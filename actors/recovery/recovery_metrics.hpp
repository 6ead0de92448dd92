#pragma once

// Metrics of recovery.

#include "actors/metrics.hpp"

namespace ringmaster::actors {

/// Runs with unknown delivery, by verdict. Owned by their actor.
struct recovery_metrics {
  explicit recovery_metrics(caf::actor_system& system)
    : adopted{make_counter(system, "runs-adopted", "Undecided runs taken over from earlier incarnations.")},
      sent{make_counter(system, "runs-sent-again", "Runs that recovery sent again, with the same log id.")},
      undecided{system.metrics().gauge_singleton("ringmaster", "runs-undecided", "Runs that recovery has not decided yet.")} {
    auto* verdicts = system.metrics().counter_family("ringmaster", "recovery-verdicts", {"verdict"},
                                                     "Runs that recovery decided.", "1", true);
    known = verdicts->get_or_add({{"verdict", "delivered"}});
    failed = verdicts->get_or_add({{"verdict", "failed"}});
    given_up = verdicts->get_or_add({{"verdict", "delivery_unknown"}});
  }

  caf::telemetry::int_counter* adopted;
  caf::telemetry::int_counter* sent;
  caf::telemetry::int_gauge* undecided;
  caf::telemetry::int_counter* known;
  caf::telemetry::int_counter* failed;
  caf::telemetry::int_counter* given_up;
};

} // namespace ringmaster::actors
