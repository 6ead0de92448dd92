#pragma once

// Choice of the XXL-JOB dialect in which a request is answered (XXL admin §8.1). Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/http.hpp"
#include "protocol/web_file.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::gateway {

/// Dialects that have a path of the web API; `none`: the path is not part of XXL-JOB's web API.
enum class dialect_set : std::uint8_t { none, both, xxl2_only, xxl3_only };

/// Settings for users' requests, known when the node starts.
struct web_setup {
  config::gateway_settings settings = {};
  /// Dialect for a request that shows none: the one of the schema's generation.
  protocol::wire::dialect of_schema = protocol::wire::dialect::xxl3;
  /// Time zone of local times in requests and answers.
  core::zone zone = {};
  /// Version of this program, shown to signed-in users.
  std::string version = {};
  /// Replaceable access token of all executors. Without a value the token of the settings is used.
  std::optional<protocol::access_token_source> token = {};
  /// Files of the web console; none: it is not served.
  std::span<const protocol::web_file> console = {};
  /// A server of `ringmaster demo`: pages say so.
  bool demo = false;
  /// Options of elastic jobs that are refused, because no node does yet what they say.
  std::vector<std::string> elastic_unsupported = {};
};

/// Rules for users' requests, made from the settings.
struct web_rules {
  web_rules(const web_setup& setup, const config::server_settings& server, const config::security_settings& security);

  /// The only dialect that is served; without a value every dialect is.
  std::optional<protocol::wire::dialect> only;
  protocol::wire::dialect of_schema;
  core::language language;
  core::zone zone;
  bool secure_cookies;
  std::string version;
  /// True when this server itself speaks TLS, and only TLS.
  bool tls;
  /// Group tokens may manage the jobs of their group; the common token may manage all jobs. See `gateway.job_management`.
  bool groups_manage_jobs;
  bool all_manage_jobs;
  /// Users may enter scripts. See `security.glue`.
  bool glue;
  std::span<const protocol::web_file> console;
  /// See `web_setup`.
  bool demo;
  std::vector<std::string> elastic_unsupported;
};

/// Returns false for a path of the other dialect when only one is served.
[[nodiscard]] bool is_served(dialect_set by, const web_rules& rules) noexcept;

/// Returns the language that an `Accept-Language` header prefers among ours (RFC 9110 §12.5.4): `zh-TW`, `zh-HK`, `zh-MO` and
/// `zh-Hant` are traditional Chinese, any other `zh` is simplified Chinese. Reads the first 16 ranges. Empty: none of them.
[[nodiscard]] std::optional<core::language> accepted_language(std::string_view header);

/// Returns the reply style of a request. The dialect is, in this order: the only one that is served, the only one that has the
/// path, the one of the session cookie, the schema's.
[[nodiscard]] protocol::wire::reply_style reply_style_of(const protocol::http_request& request, dialect_set by,
                                                         const web_rules& rules);

} // namespace ringmaster::gateway
