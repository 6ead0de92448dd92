#pragma once

// Users and the record of changes in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void user_list(exchange ex);
void user_add(exchange ex);
void user_read(exchange ex);
void user_replace(exchange ex);
void user_remove(exchange ex);

/// His own. All of his sessions end.
void password_change(exchange ex);

/// Newest first.
void audit_list(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
