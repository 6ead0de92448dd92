#pragma once

// Declared files in /api/v1.

#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Applies the files of the body. A store worker reads the body, which may have `apply_bytes_max`.
void files_apply(exchange ex);
void file_export(exchange ex);

} // namespace ringmaster::gateway::handlers::v1
