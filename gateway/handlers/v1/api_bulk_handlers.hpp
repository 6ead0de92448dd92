#pragma once

// Many jobs at once in /api/v1: each by itself, so that one that cannot be found stops none. 200 with what became of each.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void jobs_start(exchange ex);
void jobs_stop(exchange ex);
/// All with the same parameter, addresses and `Idempotency-Key`.
void jobs_trigger(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
