#pragma once

// What keeps other people's pages from acting in the name of a browser's user (design §11). Pure.

#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Why a request that changes something must not be served: a page of another site sent it. Empty when none did, or when nothing
/// tells: scripts send neither `Sec-Fetch-Site` nor `Origin`.
[[nodiscard]] std::string_view foreign_site(const protocol::http_request& request) noexcept;

/// Headers of every answer that a browser may show.
void add_safety_headers(protocol::http_response& response);

} // namespace ringmaster::gateway
