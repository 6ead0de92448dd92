#pragma once

// How actors make their metrics: in the actor system's registry, prefix `ringmaster`, shown by `/metrics`. docs/metrics.md names
// all of them.

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

/// `name` in words joined by `-`; it appears as `ringmaster_NAME_total`.
[[nodiscard]] inline caf::telemetry::int_counter* make_counter(caf::actor_system& system, const char* name, const char* help) {
  return system.metrics().counter_singleton("ringmaster", name, help, "1", true);
}

/// The same of an amount that may be 0, which CAF does not take.
inline void add(caf::telemetry::int_counter* to, std::size_t amount) noexcept {
  if (amount != 0)
    to->inc(static_cast<std::int64_t>(amount));
}

/// Upper bounds for times from one millisecond to ten seconds.
inline constexpr std::array<double, 13> time_bounds{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1., 2., 5., 10.};

} // namespace ringmaster::actors
