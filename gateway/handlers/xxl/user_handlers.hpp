#pragma once

// Management of users by administrators, and the change of the caller's own password (XXL admin §8.10), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

void user_list(exchange ex);
void user_add(exchange ex);
void user_update(exchange ex);
void user_remove(exchange ex);

/// Changes the caller's own password. Ends all sessions of the caller, this one included. Up to 2.4.1 no old password was sent,
/// which is refused here.
void password_change(exchange ex);

} // namespace ringmaster::gateway::handlers
