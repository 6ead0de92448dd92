#pragma once

// Executor groups (XXL admin §8.9), in both dialects.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers {

void group_list(exchange ex);
void group_add(exchange ex);
void group_update(exchange ex);

/// Answers success also when there is no such group.
void group_remove(exchange ex);

/// Answers one row, for every user who may see the group.
void group_load(exchange ex);

} // namespace ringmaster::gateway::handlers
