#pragma once

// What /api/v1 tells of schedules and of itself.

#include "gateway/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// The next instants of a schedule that need not be a job's.
void schedule_preview(exchange ex);

/// The OpenAPI document.
void document(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
