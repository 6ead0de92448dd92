#pragma once

// Compressed bodies of answers.

#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns true when `Accept-Encoding` names gzip and does not refuse it.
[[nodiscard]] bool takes_gzip(const protocol::http_request& request) noexcept;

/// Compresses a body as gzip. Empty: no memory for it.
[[nodiscard]] std::string compressed(std::string_view plain);

} // namespace ringmaster::gateway
