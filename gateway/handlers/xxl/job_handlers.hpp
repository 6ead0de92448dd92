#pragma once

// Jobs and the sources of scripts (XXL admin §8.6, §8.8), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// A page of jobs, newest id first.
void job_list(exchange ex);

/// Answers the new id as text.
void job_add(exchange ex);
void job_update(exchange ex);

/// A success also when there is no such job.
void job_remove(exchange ex);

void job_start(exchange ex);
void job_stop(exchange ex);

/// A run now. Answered when it is durable. Without `executorParam` the parameter is empty, not the job's own.
void job_trigger(exchange ex);

/// Up to five instants from now, as local times.
void next_trigger_time(exchange ex);

/// A new source of a script.
void source_save(exchange ex);

} // namespace ringmaster::gateway::handlers
