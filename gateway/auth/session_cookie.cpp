#include "gateway/auth/session_cookie.hpp"

#include <algorithm>
#include <cstdint>

#include "core/text/url_text.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

using protocol::wire::dialect;

namespace {

/// Longer than any session id that the store issues.
constexpr std::size_t session_bytes_max = 512;
constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

std::string attributes(bool secure) {
  // Lax: links from elsewhere to the console work, requests that change something do not come with the cookie.
  return std::string{"; Path=/; HttpOnly; SameSite=Lax"}.append(secure ? "; Secure" : "");
}

/// Returns the port of a `Host` header, which any client may have written.
std::optional<std::uint16_t> port_in(std::string_view host) noexcept {
  const auto parts = core::split_host_port(host);
  const auto port = parts.is_plain && parts.port ? core::parse_port(*parts.port) : std::nullopt;
  return port && *port != 0 ? port : std::nullopt;
}

} // namespace

std::string_view cookie_name(dialect of) noexcept {
  return of == dialect::xxl2 ? "XXL_JOB_LOGIN_IDENTITY" : "xxl_job_login_token";
}

dialect other_dialect(dialect of) noexcept { return of == dialect::xxl2 ? dialect::xxl3 : dialect::xxl2; }

std::string api_cookie_name(const protocol::http_request& request, bool secure) {
  const auto* header = request.find_header("Host");
  const std::string_view host = !request.forwarded_host.empty() ? request.forwarded_host : header ? *header : std::string_view{};
  return "ringmaster_session_" + std::to_string(port_in(host).value_or(secure ? https_port : http_port));
}

bool has_cookie(const protocol::http_request& request, std::string_view name) {
  const auto* header = request.find_header("Cookie");
  return header && protocol::wire::find_cookie(*header, name).has_value();
}

std::optional<std::string> session_in(const protocol::http_request& request, std::string_view name) {
  const auto* header = request.find_header("Cookie");
  auto value = header ? protocol::wire::find_cookie(*header, name) : std::nullopt;
  if (value && (value->empty() || value->size() > session_bytes_max))
    return std::nullopt;
  return value;
}

std::vector<std::string> sessions_in(const protocol::http_request& request, std::span<const std::string> names) {
  std::vector<std::string> sessions;
  for (const auto& name : names)
    if (auto value = session_in(request, name); value && std::find(sessions.begin(), sessions.end(), *value) == sessions.end())
      sessions.push_back(std::move(*value));
  return sessions;
}

std::string session_cookie(std::string_view session, std::optional<std::chrono::seconds> kept_for, std::string_view name,
                           bool secure) {
  auto cookie = std::string{name}.append("=").append(session).append(attributes(secure));
  if (kept_for)
    cookie += "; Max-Age=" + std::to_string(kept_for->count());
  return cookie;
}

std::string expired_session_cookie(std::string_view name, bool secure) {
  return std::string{name}.append("=").append(attributes(secure)).append("; Max-Age=0");
}

} // namespace ringmaster::gateway
