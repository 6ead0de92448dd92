#pragma once

// What operators and their tools ask.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// 200 `ok` while the process dispatches requests.
void livez(exchange ex);

/// 200 when the node serves, else 503: `{"ready":…}`, and for operators why not.
void readyz(exchange ex);

/// XXL-JOB's: 200 `{"status":"UP"}` when the node serves, else 503 `{"status":"DOWN"}`.
void actuator_health(exchange ex);

/// Every metric of the process in Prometheus's text format.
void metrics(exchange ex);

} // namespace ringmaster::gateway::handlers
