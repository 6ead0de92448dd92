#pragma once

// Schedules, the cluster and the API document in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Answers the next instants of a schedule, which need not belong to a job.
void schedule_preview(exchange ex);

/// Answers the instants of a time span, for the jobs that the caller may see; bounded in all directions.
void schedule_forecast(exchange ex);

/// Answers the nodes of the cluster as this node sees them.
void node_list(exchange ex);

/// Answers the OpenAPI document.
void document(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
