#pragma once

// What OpenSSL is told once for all connections: certificates, keys, whom to trust (docs/adr/0022).

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"

struct ssl_ctx_st;

namespace ringmaster::gateway::http {

/// TLS 1.2 or later, security level 2, no renegotiation. Connections keep the one that they began with.
using tls_context = std::shared_ptr<ssl_ctx_st>;

/// From `server.tls_certificate`, `tls_key` and `tls_client_ca`. Reads files. Errors: `invalid_argument`, naming the setting and
/// the file.
[[nodiscard]] core::result<tls_context> make_server_context(const config::server_settings& settings);

/// From `security.executor_ca`, `executor_certificate` and `executor_key`. Reads files. Errors as above.
[[nodiscard]] core::result<tls_context> make_client_context(const config::security_settings& settings);

/// What OpenSSL says of its last mistakes on this thread, which are forgotten then. Never empty.
[[nodiscard]] std::string take_tls_error();

/// The context in force. Any thread.
class tls_source {
public:
  using maker = std::function<core::result<tls_context>()>;
  explicit tls_source(maker make) : make_(std::move(make)) {}

  /// Made when it is asked for the first time, and again as long as that fails.
  [[nodiscard]] core::result<tls_context> get();
  /// Makes it again from the files as they are now. An error leaves the one in force. Does nothing for one that nobody needed.
  [[nodiscard]] core::result<void> reload();

private:
  maker make_;
  std::mutex mutex_;
  tls_context context_;
};

} // namespace ringmaster::gateway::http
