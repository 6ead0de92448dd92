#pragma once

// Jobs in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void job_list(exchange ex);

/// 201. Without an author it is who asks.
void job_add(exchange ex);
void job_read(exchange ex);

/// Needs `If-Match` with the ETag that was read: 428 without, 412 when there was an edit meanwhile.
void job_replace(exchange ex);
void job_remove(exchange ex);
void job_start(exchange ex);
void job_stop(exchange ex);

/// A run now: 202 when it is durable. The same `Idempotency-Key` of the same user for the same job is the same run.
void job_trigger(exchange ex);

/// What became of it.
void intent_read(exchange ex);

void source_list(exchange ex);
void source_save(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
