#pragma once

// Users and the audit log in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

void user_list(exchange ex);
void user_add(exchange ex);
void user_read(exchange ex);
void user_replace(exchange ex);
void user_remove(exchange ex);

/// Changes the caller's own password. Ends all sessions of the caller.
void password_change(exchange ex);

/// Lists the changes, newest first.
void audit_list(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
