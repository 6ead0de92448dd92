#pragma once

// Requests of /api/v1 for many jobs. Each job is handled on its own, so that one that cannot be found stops none. Answers 200
// with the outcome of each.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void jobs_start(exchange ex);
void jobs_stop(exchange ex);
/// Triggers all with the same parameter, addresses and `Idempotency-Key`.
void jobs_trigger(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
