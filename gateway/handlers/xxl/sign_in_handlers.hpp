#pragma once

// Sign-in and sign-out, in both dialects (XXL admin §8.2, §8.3).

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Signs in with `userName`, `password`, `ifRemember` (`on`) and answers with a session in the dialect's cookie. Ends every
/// session that the request carries, and removes the other dialect's cookie.
void sign_in(exchange ex);

/// Ends every session that the request carries, and removes its cookies. Answers success also without a session.
void sign_out(exchange ex);

/// Answers a page without scripts; redirects a signed-in user to `/`.
void sign_in_page(exchange ex);

} // namespace ringmaster::gateway::handlers
