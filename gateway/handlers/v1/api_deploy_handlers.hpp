#pragma once

// Declared files in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// A store worker reads the body: it may be as long as `apply_bytes_max`.
void files_apply(exchange ex);
void file_export(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
