#pragma once

// Sources of declared files in /api/v1.

#include <string>
#include <string_view>
#include <vector>

#include "core/editing/declared_source.hpp"

namespace ringmaster::protocol::wire {

/// Returns `{"items":[…]}`. `own`: the source whose files the answering node has; empty: none. A source that was never applied is
/// listed, too.
[[nodiscard]] std::string api_declared_sources(const std::vector<core::declared_source>& sources, std::string_view own);

} // namespace ringmaster::protocol::wire
