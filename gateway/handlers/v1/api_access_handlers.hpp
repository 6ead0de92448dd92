#pragma once

// Who asks, and API keys, in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Who asks, what he may do, and, with a session, the CSRF token of what changes something.
void session_show(exchange ex);

/// His own; of an administrator all, or those of one `user`.
void key_list(exchange ex);

/// 201 with the key, which is told here and never again.
void key_add(exchange ex);
void key_remove(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
