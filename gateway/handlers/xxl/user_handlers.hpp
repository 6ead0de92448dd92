#pragma once

// Users as administrators keep them, and one's own password (XXL admin §8.10), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

void user_list(exchange ex);
void user_add(exchange ex);
void user_update(exchange ex);
void user_remove(exchange ex);

/// The caller's own. All his sessions are over, this one included; up to 2.4.1 no old password was sent, which is refused here.
void password_change(exchange ex);

} // namespace ringmaster::gateway::handlers
