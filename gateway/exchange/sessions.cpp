#include "gateway/exchange/sessions.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "gateway/auth/session_cookie.hpp"
#include "gateway/exchange/route.hpp"

namespace ringmaster::gateway {

namespace {

using sessions_ended = std::function<void(const exchange&, const std::optional<core::error>&)>;

void end_each(const exchange& ex, std::vector<std::string> sessions, std::optional<core::error> failed,
              const sessions_ended& then) {
  if (sessions.empty())
    return then(ex, failed);
  protocol::sign_out order{std::move(sessions.back())};
  sessions.pop_back();
  ex.ask<void>(
    ex.services().partners.users, std::move(order),
    [sessions, failed, then](const exchange& waiting) { end_each(waiting, sessions, failed, then); },
    [sessions, then](const exchange& waiting, const core::error& error) { end_each(waiting, sessions, error, then); });
}

bool is_api(const exchange& ex) noexcept { return ex.row().by == dialect_set::none; }

/// Returns the name of the cookie that this request's answer sets or removes.
std::string answer_cookie(const exchange& ex) {
  if (is_api(ex))
    return api_cookie_name(ex.request(), ex.secure_cookies());
  return std::string{cookie_name(ex.style().dialect)};
}

/// Returns the headers that set `mine`, a `Set-Cookie` value, and, in XXL-JOB's web API, remove the other dialect's cookie, so
/// that the next request cannot use another user's session. /api/v1 leaves XXL-JOB's cookies alone: a server on another port,
/// e.g. a Java admin, may have set them. Those of this server are harmless, because their sessions have ended.
protocol::http_headers cookies(const exchange& ex, std::string mine) {
  protocol::http_headers headers{{"Set-Cookie", std::move(mine)}};
  const auto other = cookie_name(other_dialect(ex.style().dialect));
  if (!is_api(ex) && has_cookie(ex.request(), other))
    headers.emplace_back("Set-Cookie", expired_session_cookie(other, ex.secure_cookies()));
  return headers;
}

} // namespace

std::vector<std::string> sessions_of(const exchange& ex) {
  const auto answered = ex.style().dialect;
  std::vector<std::string> names{answer_cookie(ex)};
  if (is_api(ex))
    names.emplace_back(cookie_name(answered));
  names.emplace_back(cookie_name(other_dialect(answered)));
  return sessions_in(ex.request(), names);
}

protocol::http_headers cookies_of(const exchange& ex, const protocol::signed_in& reply, bool remember) {
  // XXL-JOB keeps the cookie for 68 years; here it lasts as long as the session can.
  const auto kept_for = remember ? std::optional{std::chrono::ceil<std::chrono::seconds>(reply.max_age)} : std::nullopt;
  return cookies(ex, session_cookie(reply.session, kept_for, answer_cookie(ex), ex.secure_cookies()));
}

protocol::http_headers expired_cookies(const exchange& ex) {
  return cookies(ex, expired_session_cookie(answer_cookie(ex), ex.secure_cookies()));
}

void end_sessions(const exchange& ex, std::function<void(const exchange&, const std::optional<core::error>&)> then) {
  end_each(ex, sessions_of(ex), std::nullopt, then);
}

void end_former_sessions(const exchange& ex, std::function<void(const exchange&)> then) {
  end_sessions(ex, [then = std::move(then)](const exchange& waiting, const std::optional<core::error>& failed) {
    if (failed)
      waiting.services().log->warn("a session from before the sign-in could not be ended: {}", failed->context);
    then(waiting);
  });
}

} // namespace ringmaster::gateway
