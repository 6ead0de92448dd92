#pragma once

// Figures of what the nodes do now, in /api/v1.

#include <string>
#include <string_view>

#include "core/cluster/live_figures.hpp"

namespace ringmaster::protocol::wire {

/// Returns a JSON object. Its first member is `now_ms`.
[[nodiscard]] std::string api_now(const core::live_figures& figures);

/// Returns the part of an answer of `api_now` after `now_ms`: two answers with the same part tell the same.
[[nodiscard]] std::string_view timeless_part(std::string_view answer) noexcept;

} // namespace ringmaster::protocol::wire
