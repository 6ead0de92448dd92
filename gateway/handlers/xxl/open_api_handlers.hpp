#pragma once

// Job management for executors' programs, as release 3.5 has it (XXL admin §8.12): under `/api/`, with the token and the app name
// of an executor.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

void add_job(exchange ex);
/// Keeps the group, the children and the source.
void update_job(exchange ex);
void remove_job(exchange ex);
void start_job(exchange ex);
void stop_job(exchange ex);
void trigger_job(exchange ex);

} // namespace ringmaster::gateway::handlers
