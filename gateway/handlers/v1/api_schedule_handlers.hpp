#pragma once

// What /api/v1 tells of schedules, of the cluster and of itself.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// The next instants of a schedule that need not be a job's.
void schedule_preview(exchange ex);

/// What fires in a span, of the jobs that one may see; bounded in all directions.
void schedule_forecast(exchange ex);

/// The nodes of the cluster as the one that answers sees them.
void node_list(exchange ex);

/// The OpenAPI document.
void document(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
