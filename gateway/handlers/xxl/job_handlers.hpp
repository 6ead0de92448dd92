#pragma once

// Jobs and the sources of scripts (XXL admin §8.6, §8.8), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Answers a page of jobs, newest id first.
void job_list(exchange ex);

/// Adds a job. Answers the new id as text.
void job_add(exchange ex);
void job_update(exchange ex);

/// Removes a job. Answers success also when there is no such job.
void job_remove(exchange ex);

void job_start(exchange ex);
void job_stop(exchange ex);

/// Triggers a manual run. Answered when it is durable. Without `executorParam` the parameter is empty, not the job's own.
void job_trigger(exchange ex);

/// Answers up to five instants from now, as local times.
void next_trigger_time(exchange ex);

/// Saves a new source of a script.
void source_save(exchange ex);

} // namespace ringmaster::gateway::handlers
