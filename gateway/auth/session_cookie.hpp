#pragma once

// Session cookies of both dialects of XXL-JOB's web pages (XXL admin §8.1). Pure.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::gateway {

/// Returns the name of the dialect's session cookie.
[[nodiscard]] std::string_view cookie_name(protocol::wire::dialect dialect) noexcept;

/// Returns the dialect that is not `of`.
[[nodiscard]] protocol::wire::dialect other_dialect(protocol::wire::dialect of) noexcept;

/// Returns true when the request has a session cookie of this dialect, whatever its value.
[[nodiscard]] bool has_cookie_of(const protocol::http_request& request, protocol::wire::dialect dialect);

/// Returns the value of the dialect's session cookie; nothing for a value that no session can have (empty or too long).
[[nodiscard]] std::optional<std::string> session_in(const protocol::http_request& request, protocol::wire::dialect dialect);

/// Returns the values of all session cookies, the one of `dialect` first.
[[nodiscard]] std::vector<std::string> sessions_in(const protocol::http_request& request, protocol::wire::dialect dialect);

/// Returns the `Set-Cookie` value of a session. HttpOnly: no script reads it. Without `kept_for` the cookie lasts until the
/// browser closes.
[[nodiscard]] std::string session_cookie(std::string_view session, std::optional<std::chrono::seconds> kept_for,
                                         protocol::wire::dialect dialect, bool secure);

/// Returns the `Set-Cookie` value that removes the cookie.
[[nodiscard]] std::string expired_session_cookie(protocol::wire::dialect dialect, bool secure);

} // namespace ringmaster::gateway
