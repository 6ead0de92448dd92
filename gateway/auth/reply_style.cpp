#include "gateway/auth/reply_style.hpp"

#include "gateway/auth/session_cookie.hpp"

namespace ringmaster::gateway {

namespace {

using protocol::wire::dialect;

std::optional<dialect> only_dialect(std::string_view name) noexcept {
  if (name == "2.x")
    return dialect::xxl2;
  if (name == "3.3+")
    return dialect::xxl3;
  return std::nullopt;
}

dialect dialect_of(const protocol::http_request& request, dialect_set by, const web_rules& rules) {
  if (rules.only)
    return *rules.only;
  // Takes precedence over the cookie: a browser may still have a cookie of the other dialect.
  if (by == dialect_set::xxl2_only)
    return dialect::xxl2;
  if (by == dialect_set::xxl3_only)
    return dialect::xxl3;
  const bool has_2 = session_in(request, dialect::xxl2).has_value();
  const bool has_3 = session_in(request, dialect::xxl3).has_value();
  if (has_2 != has_3)
    return has_2 ? dialect::xxl2 : dialect::xxl3;
  return rules.of_schema;
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
    all_manage_jobs{setup.settings.job_management == "all"},
    glue{security.glue},
    console{setup.console},
    demo{setup.demo} {}

bool is_served(dialect_set by, const web_rules& rules) noexcept {
  if (!rules.only)
    return true;
  return by != (*rules.only == dialect::xxl2 ? dialect_set::xxl3_only : dialect_set::xxl2_only);
}

protocol::wire::reply_style reply_style_of(const protocol::http_request& request, dialect_set by, const web_rules& rules) {
  return {dialect_of(request, by, rules), rules.language};
}

} // namespace ringmaster::gateway
