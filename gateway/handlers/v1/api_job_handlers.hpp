#pragma once

// Jobs in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void job_list(exchange ex);

/// Answers 201. Without an author the caller becomes the author.
void job_add(exchange ex);
void job_read(exchange ex);

/// Replaces a job. Requires `If-Match` with the ETag that was read: 428 without it, 412 after an edit in between.
void job_replace(exchange ex);
void job_remove(exchange ex);
void job_start(exchange ex);
void job_stop(exchange ex);

/// Triggers a manual run: 202 when it is durable. The same `Idempotency-Key` of the same user for the same job is the same run.
void job_trigger(exchange ex);

/// Answers the outcome of a manual run.
void intent_read(exchange ex);

void source_list(exchange ex);
void source_save(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
