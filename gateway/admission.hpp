#pragma once

// Who people are: from the cookie of a request to its handler.

#include "gateway/exchange.hpp"

namespace ringmaster::gateway {

/// Refuses what a page of another site sent to change something. Then, where the route needs a session, asks user_admin whose it
/// is, and refuses who has none, who must change his password first, and who has not the role. Then calls the route's handler.
void admit_person(const exchange& ex);

/// Calls `with_session(exchange, identified)` or `without(exchange)`; answers other errors itself.
void find_session(const exchange& ex, std::function<void(const exchange&, const protocol::identified&)> with_session,
                  std::function<void(const exchange&)> without);

} // namespace ringmaster::gateway
