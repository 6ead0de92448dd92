#pragma once

// Job management for executors' programs, as in release 3.5 (XXL admin §8.12): under `/api/`, with the token and the app name of
// an executor.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

void add_job(exchange ex);
/// Updates a job; keeps its group, children and source.
void update_job(exchange ex);
void remove_job(exchange ex);
void start_job(exchange ex);
void stop_job(exchange ex);
void trigger_job(exchange ex);

} // namespace ringmaster::gateway::handlers
