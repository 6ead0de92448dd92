#pragma once

// Caller and API keys in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Answers the caller, the caller's permissions, and, with a session, the CSRF token for requests that change something.
void session_show(exchange ex);

/// Lists the caller's keys; for an administrator all keys, or those of one `user`.
void key_list(exchange ex);

/// Answers 201 with the key, which is shown only this once.
void key_add(exchange ex);
void key_remove(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
