#include "gateway/auth/speech.hpp"

#include <algorithm>

#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::gateway {

namespace {

using protocol::wire::dialect;

/// Longer than any that we give.
constexpr std::size_t session_bytes_max = 512;

std::optional<dialect> only_dialect(std::string_view name) noexcept {
  if (name == "2.x")
    return dialect::xxl2;
  if (name == "3.3+")
    return dialect::xxl3;
  return std::nullopt;
}

std::optional<std::string> cookie_in(const protocol::http_request& request, std::string_view name) {
  const auto* header = request.find_header("Cookie");
  auto value = header ? protocol::wire::find_cookie(*header, name) : std::nullopt;
  if (value && (value->empty() || value->size() > session_bytes_max))
    return std::nullopt;
  return value;
}

dialect dialect_of(const protocol::http_request& request, spoken by, const web_rules& rules) {
  if (rules.only)
    return *rules.only;
  // Before the cookie: a browser may still have that of the other dialect.
  if (by == spoken::xxl2_only)
    return dialect::xxl2;
  if (by == spoken::xxl3_only)
    return dialect::xxl3;
  const bool has_2 = cookie_in(request, cookie_name(dialect::xxl2)).has_value();
  const bool has_3 = cookie_in(request, cookie_name(dialect::xxl3)).has_value();
  if (has_2 != has_3)
    return has_2 ? dialect::xxl2 : dialect::xxl3;
  return rules.of_schema;
}

std::string attributes(bool secure) {
  // Lax: links from elsewhere to the console work, requests that change something do not come with the cookie.
  return std::string{"; Path=/; HttpOnly; SameSite=Lax"}.append(secure ? "; Secure" : "");
}

} // namespace

web_rules::web_rules(const web_setup& setup, const config::server_settings& server, const config::security_settings& security)
  : only{only_dialect(setup.settings.dialect)},
    of_schema{setup.of_schema},
    language{core::find_language(server.language).value_or(core::language::en)},
    zone{setup.zone},
    secure_cookies{security.secure_cookies},
    version{setup.version},
    tls{!server.tls_certificate.empty()},
    groups_manage_jobs{setup.settings.job_management != "off"},
    all_manage_jobs{setup.settings.job_management == "all"} {}

bool is_served(spoken by, const web_rules& rules) noexcept {
  if (!rules.only)
    return true;
  return by != (*rules.only == dialect::xxl2 ? spoken::xxl3_only : spoken::xxl2_only);
}

protocol::wire::speech speech_of(const protocol::http_request& request, spoken by, const web_rules& rules) {
  return {dialect_of(request, by, rules), rules.language};
}

std::string_view cookie_name(dialect of) noexcept {
  return of == dialect::xxl2 ? "XXL_JOB_LOGIN_IDENTITY" : "xxl_job_login_token";
}

dialect other_dialect(dialect of) noexcept { return of == dialect::xxl2 ? dialect::xxl3 : dialect::xxl2; }

bool has_cookie_of(const protocol::http_request& request, dialect of) {
  const auto* header = request.find_header("Cookie");
  return header && protocol::wire::find_cookie(*header, cookie_name(of)).has_value();
}

std::vector<std::string> sessions_in(const protocol::http_request& request, dialect of) {
  std::vector<std::string> sessions;
  for (auto name : {cookie_name(of), cookie_name(other_dialect(of))})
    if (auto value = cookie_in(request, name); value && std::find(sessions.begin(), sessions.end(), *value) == sessions.end())
      sessions.push_back(std::move(*value));
  return sessions;
}

std::string session_cookie(std::string_view session, std::optional<std::chrono::seconds> kept_for, dialect of, bool secure) {
  auto cookie = std::string{cookie_name(of)}.append("=").append(session).append(attributes(secure));
  if (kept_for)
    cookie += "; Max-Age=" + std::to_string(kept_for->count());
  return cookie;
}

std::string no_session_cookie(dialect of, bool secure) {
  return std::string{cookie_name(of)}.append("=").append(attributes(secure)).append("; Max-Age=0");
}

} // namespace ringmaster::gateway
