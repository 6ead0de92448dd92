#include "gateway/auth/session_cookie.hpp"

#include <algorithm>

#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

using protocol::wire::dialect;

namespace {

/// Longer than any session id that the store issues.
constexpr std::size_t session_bytes_max = 512;

std::string attributes(bool secure) {
  // Lax: links from elsewhere to the console work, requests that change something do not come with the cookie.
  return std::string{"; Path=/; HttpOnly; SameSite=Lax"}.append(secure ? "; Secure" : "");
}

} // namespace

std::string_view cookie_name(dialect of) noexcept {
  return of == dialect::xxl2 ? "XXL_JOB_LOGIN_IDENTITY" : "xxl_job_login_token";
}

dialect other_dialect(dialect of) noexcept { return of == dialect::xxl2 ? dialect::xxl3 : dialect::xxl2; }

bool has_cookie_of(const protocol::http_request& request, dialect of) {
  const auto* header = request.find_header("Cookie");
  return header && protocol::wire::find_cookie(*header, cookie_name(of)).has_value();
}

std::optional<std::string> session_in(const protocol::http_request& request, dialect of) {
  const auto* header = request.find_header("Cookie");
  auto value = header ? protocol::wire::find_cookie(*header, cookie_name(of)) : std::nullopt;
  if (value && (value->empty() || value->size() > session_bytes_max))
    return std::nullopt;
  return value;
}

std::vector<std::string> sessions_in(const protocol::http_request& request, dialect of) {
  std::vector<std::string> sessions;
  for (const auto each : {of, other_dialect(of)})
    if (auto value = session_in(request, each); value && std::find(sessions.begin(), sessions.end(), *value) == sessions.end())
      sessions.push_back(std::move(*value));
  return sessions;
}

std::string session_cookie(std::string_view session, std::optional<std::chrono::seconds> kept_for, dialect of, bool secure) {
  auto cookie = std::string{cookie_name(of)}.append("=").append(session).append(attributes(secure));
  if (kept_for)
    cookie += "; Max-Age=" + std::to_string(kept_for->count());
  return cookie;
}

std::string expired_session_cookie(dialect of, bool secure) {
  return std::string{cookie_name(of)}.append("=").append(attributes(secure)).append("; Max-Age=0");
}

} // namespace ringmaster::gateway
