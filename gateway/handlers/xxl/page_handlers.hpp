#pragma once

// Pages for browsers.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Answers 200 with a page that says what serves here and where its interfaces are. It names neither version nor data.
void start_page(exchange ex);

} // namespace ringmaster::gateway::handlers
