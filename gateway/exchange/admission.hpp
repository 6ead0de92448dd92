#pragma once

// Authentication of users and programs, from the cookie or the API key of a request to its handler.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Refuses a request of another site's page that changes something. Then, where the route needs a session, asks user_admin for
/// the session's user. Refuses a client without a session, a user who must change the password first, and a user without the
/// role. Then calls the route's handler. Below /api/v1 an API key replaces a session. A request with a session that changes
/// something must show the session's CSRF token.
void admit_person(const exchange& ex);

/// Calls the route's handler. Below /api/v1 it refuses a query that the route does not read: a client that misspells a parameter
/// would be answered as if it had not sent it.
void call_handler(const exchange& ex);

/// Called with the session that was found: `session` is the value of its cookie.
using found_handler = std::function<void(const exchange&, const protocol::identified&, const std::string& session)>;
using visitor_handler = std::function<void(const exchange&)>;

/// Finds the session of a request. Calls `with_session` or `without`; answers other errors itself.
void find_session(const exchange& ex, found_handler with_session, visitor_handler without);

} // namespace ringmaster::gateway
