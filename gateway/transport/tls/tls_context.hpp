#pragma once

// TLS contexts for HTTP, from the settings that name their files (docs/adr/0022).

#include "config/settings.hpp"
#include "core/result.hpp"
#include "protocol/tls/tls_context.hpp"

namespace ringmaster::gateway::http {

using protocol::tls_context;
using protocol::tls_source;

/// Makes a context from `server.tls_certificate`, `tls_key` and `tls_client_ca`. Reads files. Errors: `invalid_argument`, naming
/// the setting and the file.
[[nodiscard]] core::result<tls_context> make_server_context(const config::server_settings& settings);

/// Makes a context from `security.executor_ca`, `executor_certificate` and `executor_key`. Reads files. Errors as above.
[[nodiscard]] core::result<tls_context> make_client_context(const config::security_settings& settings);

} // namespace ringmaster::gateway::http
