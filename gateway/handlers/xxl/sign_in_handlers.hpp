#pragma once

// Signing in and out, in both dialects (XXL admin §8.2, §8.3).

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// `userName`, `password`, `ifRemember` (`on`): a session in the dialect's cookie. Every session that the request carries ends,
/// and the other dialect's cookie is taken away.
void sign_in(exchange ex);

/// Ends every session that the request carries, and takes its cookies away; a success also for who has none.
void sign_out(exchange ex);

/// A page without script; who is signed in goes on to `/`.
void sign_in_page(exchange ex);

} // namespace ringmaster::gateway::handlers
