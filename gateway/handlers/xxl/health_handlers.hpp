#pragma once

// Health and metrics for operators and their tools.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Answers 200 `ok` while the process dispatches requests.
void livez(exchange ex);

/// Answers 200 when the node serves, else 503: `{"ready":…}`, and for operators the reasons.
void readyz(exchange ex);

/// Answers as XXL-JOB does: 200 `{"status":"UP"}` when the node serves, else 503 `{"status":"DOWN"}`.
void actuator_health(exchange ex);

/// Answers every metric of the process in Prometheus's text format.
void metrics(exchange ex);

} // namespace ringmaster::gateway::handlers
