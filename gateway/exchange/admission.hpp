#pragma once

// Who people and programs are: from the cookie or the API key of a request to its handler.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Refuses what a page of another site sent to change something. Then, where the route needs a session, asks user_admin whose it
/// is, and refuses who has none, who must change his password first, and who has not the role. Then calls the route's handler.
/// Below /api/v1 an API key stands for a session; with a session what changes something must show the session's CSRF token.
void admit_person(const exchange& ex);

/// Calls the route's handler. Below /api/v1 it refuses a query that the route does not read: a client that misspells a parameter
/// would be answered as if it had not sent it.
void call_handler(const exchange& ex);

/// What a session that was found is good for: `session` is what its cookie holds.
using found_handler = std::function<void(const exchange&, const protocol::identified&, const std::string& session)>;
using visitor_handler = std::function<void(const exchange&)>;

/// Calls `with_session` or `without`; answers other errors itself.
void find_session(const exchange& ex, found_handler with_session, visitor_handler without);

} // namespace ringmaster::gateway
