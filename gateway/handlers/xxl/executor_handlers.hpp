#pragma once

// Requests of executors (XXL wire §1, §3). Every answer is HTTP 200 with the outcome in `code`.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

/// Registers or renews one address; answered at once.
void registry(exchange ex);

/// Withdraws exactly that address; answered at once, whether the address was known or not.
void registry_remove(exchange ex);

/// Stores results of runs. Answered when they are durable, and only then. Until the store has them there is no answer, because
/// some executors turn a refused callback into a second, failing one (firing protocol, T4). A body that cannot be read is refused
/// at once.
void callback(exchange ex);

} // namespace ringmaster::gateway::handlers
