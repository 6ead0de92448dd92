#pragma once

// Executor groups in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Lists the groups that the caller may see.
void group_list(exchange ex);
void refused_list(exchange ex);
void group_add(exchange ex);
void group_read(exchange ex);
void group_replace(exchange ex);
void group_remove(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
