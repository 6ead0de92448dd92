#pragma once

// What keeps other people's pages from acting in the name of a browser's user (design §11). Pure.

#include <string>
#include <string_view>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Why a request that changes something must not be served: a page of another site sent it. Empty when none did, or when nothing
/// tells: scripts send neither `Sec-Fetch-Site` nor `Origin`.
[[nodiscard]] std::string_view foreign_site(const protocol::http_request& request) noexcept;

/// What a page that has this session shows when it changes something by /api/v1: no page of another site can know it, and it
/// tells nothing of the session.
[[nodiscard]] std::string csrf_token(std::string_view session);

/// Headers of every answer that a browser may show. `tls`: from now on it is to ask this host over TLS alone.
void add_safety_headers(protocol::http_response& response, bool tls);

} // namespace ringmaster::gateway
