#pragma once

// Protection of a browser's user against pages of other sites (design §11). Pure.

#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Returns the reason to refuse a request that changes something: a page of another site sent it. Returns an empty text when none
/// did, or when no header says so: scripts send neither `Sec-Fetch-Site` nor `Origin`.
[[nodiscard]] std::string_view foreign_site(const protocol::http_request& request) noexcept;

/// Returns the token that a page with this session must show to change something through /api/v1. Pages of other sites cannot
/// know it, and it reveals nothing of the session.
[[nodiscard]] std::string csrf_token(std::string_view session);

/// Adds the headers of every answer that a browser may show. `tls`: the browser must use TLS for this host from now on.
void add_safety_headers(protocol::http_response& response, bool tls);

} // namespace ringmaster::gateway
