#include "gateway/auth/reply_style.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"
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
  const bool has_2 = session_in(request, cookie_name(dialect::xxl2)).has_value();
  const bool has_3 = session_in(request, cookie_name(dialect::xxl3)).has_value();
  if (has_2 != has_3)
    return has_2 ? dialect::xxl2 : dialect::xxl3;
  return rules.of_schema;
}

/// Returns the language of a range of `Accept-Language`, e.g. `zh-TW`.
std::optional<core::language> language_of_range(std::string_view range) {
  const auto is_of = [range](std::string_view tag) {
    return core::equal_without_case(range.substr(0, tag.size()), tag) && (range.size() == tag.size() || range[tag.size()] == '-');
  };
  if (is_of("en"))
    return core::language::en;
  for (const auto* traditional : {"zh-tw", "zh-hk", "zh-mo", "zh-hant"})
    if (is_of(traditional))
      return core::language::zh_tc;
  return is_of("zh") ? std::optional{core::language::zh_cn} : std::nullopt;
}

/// Returns the weight after `;q=`; 1 without one, 0 for an invalid one.
double weight_of(std::string_view parameter) {
  parameter = core::trimmed(parameter);
  if (parameter.empty())
    return 1;
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q="))
    return 0;
  parameter.remove_prefix(2);
  double weight = 0;
  const auto [end, problem] = std::from_chars(parameter.data(), parameter.data() + parameter.size(), weight);
  return problem == std::errc{} && end == parameter.data() + parameter.size() && weight <= 1 ? weight : 0;
}

} // namespace

std::optional<core::language> accepted_language(std::string_view header) {
  std::optional<core::language> best;
  double best_weight = 0;
  std::size_t begin = 0;
  for (int ranges = 0; begin < header.size() && ranges < 16; ++ranges) {
    const auto end = std::min(header.find(',', begin), header.size());
    const auto range = header.substr(begin, end - begin);
    begin = end + 1;
    const auto semicolon = range.find(';');
    const auto weight = weight_of(semicolon == std::string_view::npos ? std::string_view{} : range.substr(semicolon + 1));
    const auto found = language_of_range(core::trimmed(range.substr(0, semicolon)));
    if (found && weight > best_weight) {
      best = found;
      best_weight = weight;
    }
  }
  return best;
}

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
    demo{setup.demo},
    elastic_unsupported{setup.elastic_unsupported} {}

bool is_served(dialect_set by, const web_rules& rules) noexcept {
  if (!rules.only)
    return true;
  return by != (*rules.only == dialect::xxl2 ? dialect_set::xxl3_only : dialect_set::xxl2_only);
}

protocol::wire::reply_style reply_style_of(const protocol::http_request& request, dialect_set by, const web_rules& rules) {
  return {dialect_of(request, by, rules), rules.language};
}

} // namespace ringmaster::gateway
