#pragma once

// Sessions of browsers: their cookies in an answer, and their end.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway {

/// Returns the values of the request's session cookies, the one that answers set first: at most three. /api/v1 has a cookie of
/// its own, and accepts those of XXL-JOB's web API until the version after 0.1; the web API accepts its own alone.
[[nodiscard]] std::vector<std::string> sessions_of(const exchange& ex);

/// Returns the headers that give a browser the session of `reply`. `remember`: the cookie outlives the browser.
[[nodiscard]] protocol::http_headers cookies_of(const exchange& ex, const protocol::signed_in& reply, bool remember);

/// Returns the headers that remove the browser's session cookies: of XXL-JOB's web API both, of /api/v1 its own.
[[nodiscard]] protocol::http_headers expired_cookies(const exchange& ex);

/// Ends all sessions of the request (`sessions_of`), also after an error; then calls `then` with an error, if there
/// was one.
void end_sessions(const exchange& ex, std::function<void(const exchange&, const std::optional<core::error>&)> then);

/// Ends the sessions that the browser had before a sign-in, because no page needs them any more; then calls `then`. A session
/// that could not be ended is logged.
void end_former_sessions(const exchange& ex, std::function<void(const exchange&)> then);

} // namespace ringmaster::gateway
