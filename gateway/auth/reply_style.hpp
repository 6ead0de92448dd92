#pragma once

// In which of XXL-JOB's two dialects a request is answered (XXL admin §8.1). Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/http.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::gateway {

/// Which dialects have a path of the web API; `none`: it is not of XXL-JOB's web API.
enum class dialect_set : std::uint8_t { none, both, xxl2_only, xxl3_only };

/// What the start of the node says about people's requests.
struct web_setup {
  config::gateway_settings settings = {};
  /// Of a request that shows no dialect: that of the schema's generation.
  protocol::wire::dialect of_schema = protocol::wire::dialect::xxl3;
  /// Of local times in requests and answers.
  core::zone zone = {};
  /// Of this program, shown to who is signed in.
  std::string version = {};
  /// The token of all executors, which may be replaced. Nothing: that of the settings.
  std::optional<protocol::access_token_source> token = {};
};

/// The same, read.
struct web_rules {
  web_rules(const web_setup& setup, const config::server_settings& server, const config::security_settings& security);

  /// Nothing: every dialect is served.
  std::optional<protocol::wire::dialect> only;
  protocol::wire::dialect of_schema;
  core::language language;
  core::zone zone;
  bool secure_cookies;
  std::string version;
  /// This server itself speaks TLS, and only that.
  bool tls;
  /// Tokens of groups manage the jobs of their group; the token of all manages all jobs. See `gateway.job_management`.
  bool groups_manage_jobs;
  bool all_manage_jobs;
};

/// False for a path of the other dialect when only one is served.
[[nodiscard]] bool is_served(dialect_set by, const web_rules& rules) noexcept;

/// The one dialect that is served; else that of a path which one alone has; else that of the session cookie; else the schema's.
[[nodiscard]] protocol::wire::reply_style reply_style_of(const protocol::http_request& request, dialect_set by,
                                                         const web_rules& rules);

} // namespace ringmaster::gateway
