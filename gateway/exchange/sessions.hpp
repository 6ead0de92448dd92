#pragma once

// Sessions of browsers: their cookies in an answer, and their end.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Returns the headers that set `mine`, a `Set-Cookie` value of the answer's dialect, and remove the other dialect's cookie, so
/// that the next request cannot use another user's session.
[[nodiscard]] protocol::http_headers cookies(const exchange& ex, std::string mine);

/// Returns the headers that give a browser the session of `reply`. `remember`: the cookie outlives the browser.
[[nodiscard]] protocol::http_headers cookies_of(const exchange& ex, const protocol::signed_in& reply, bool remember);

/// Returns the headers that remove the browser's session cookies.
[[nodiscard]] protocol::http_headers expired_cookies(const exchange& ex);

/// Ends all sessions of the request, the other dialect's included, also after an error; then calls `then` with an error, if there
/// was one.
void end_sessions(const exchange& ex, std::function<void(const exchange&, const std::optional<core::error>&)> then);

/// Ends the sessions that the browser had before a sign-in, because no page needs them any more; then calls `then`. A session
/// that could not be ended is logged.
void end_former_sessions(const exchange& ex, std::function<void(const exchange&)> then);

} // namespace ringmaster::gateway
