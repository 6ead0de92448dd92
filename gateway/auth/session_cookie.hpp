#pragma once

// Session cookies: those of both dialects of XXL-JOB's web pages (XXL admin §8.1), and that of /api/v1. Pure.

#include <chrono>
#include <optional>
#include <span>
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

/// Returns the name of the session cookie of /api/v1 and so of the console: `ringmaster_session_` and the port to which the
/// browser sent the request, because browsers give all ports of a host the same cookies. The port is that of the host that a
/// trusted proxy forwarded, else of `Host`. Without a valid port: 443 if `secure` is set, else 80, as in the browser's address.
///
/// It is not the port on which this node listens: nodes of one cluster may listen on different ports behind one proxy, and a
/// session must hold on each of them. A client that names another port only looks for another of its own cookies.
[[nodiscard]] std::string api_cookie_name(const protocol::http_request& request, bool secure);

/// Returns true when the request has a cookie of this name, whatever its value.
[[nodiscard]] bool has_cookie(const protocol::http_request& request, std::string_view name);

/// Returns the value of a session cookie, the first one of several with the same name; nothing for a value that no session can
/// have (empty or too long).
[[nodiscard]] std::optional<std::string> session_in(const protocol::http_request& request, std::string_view name);

/// Returns the different values of the session cookies with these names, in the order of the names: at most one for each name,
/// however many cookies the request has.
[[nodiscard]] std::vector<std::string> sessions_in(const protocol::http_request& request, std::span<const std::string> names);

/// Returns the `Set-Cookie` value of a session. HttpOnly: no script reads it. Without `kept_for` the cookie lasts until the
/// browser closes.
[[nodiscard]] std::string session_cookie(std::string_view session, std::optional<std::chrono::seconds> kept_for,
                                         std::string_view name, bool secure);

/// Returns the `Set-Cookie` value that removes the cookie.
[[nodiscard]] std::string expired_session_cookie(std::string_view name, bool secure);

} // namespace ringmaster::gateway
