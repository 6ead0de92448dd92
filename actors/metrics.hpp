#pragma once

// Creation of the actors' metrics in the registry of the actor system, with the prefix `ringmaster`. `/metrics` shows them;
// docs/metrics.md lists them all.

#include <array>
#include <cstdint>

#include <caf/actor_system.hpp>
#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/gauge.hpp>
#include <caf/telemetry/histogram.hpp>
#include <caf/telemetry/metric_registry.hpp>

namespace ringmaster::actors {

template <class Metric>
using metric_family = caf::telemetry::metric_family_impl<Metric>;

/// Returns the counter `ringmaster_NAME_total`. `name` consists of words joined by `-`.
[[nodiscard]] inline caf::telemetry::int_counter* make_counter(caf::actor_system& system, const char* name, const char* help) {
  return system.metrics().counter_singleton("ringmaster", name, help, "1", true);
}

/// Adds an amount that may be 0, which CAF's `inc` does not accept.
inline void add(caf::telemetry::int_counter* to, std::size_t amount) noexcept {
  if (amount != 0)
    to->inc(static_cast<std::int64_t>(amount));
}

/// Upper bounds of histograms for times between one millisecond and ten seconds.
inline constexpr std::array<double, 13> time_bounds{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1., 2., 5., 10.};

} // namespace ringmaster::actors
