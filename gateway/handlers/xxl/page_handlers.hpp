#pragma once

// Pages for browsers.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Answers 200 with a page that names this server and links its interfaces. It shows neither version nor data.
void start_page(exchange ex);

} // namespace ringmaster::gateway::handlers
