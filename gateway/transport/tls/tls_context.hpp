#pragma once

// OpenSSL settings for all connections: certificates, keys, trusted authorities (docs/adr/0022).

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"

struct ssl_ctx_st;

namespace ringmaster::gateway::http {

/// TLS 1.2 or later, security level 2, no renegotiation. A connection keeps the context that it began with.
using tls_context = std::shared_ptr<ssl_ctx_st>;

/// Makes a context from `server.tls_certificate`, `tls_key` and `tls_client_ca`. Reads files. Errors: `invalid_argument`, naming
/// the setting and the file.
[[nodiscard]] core::result<tls_context> make_server_context(const config::server_settings& settings);

/// Makes a context from `security.executor_ca`, `executor_certificate` and `executor_key`. Reads files. Errors as above.
[[nodiscard]] core::result<tls_context> make_client_context(const config::security_settings& settings);

/// Returns OpenSSL's messages about its last errors on this thread, and clears them. Never empty.
[[nodiscard]] std::string take_tls_error();

/// Source of the context in force. Any thread.
class tls_source {
public:
  using maker = std::function<core::result<tls_context>()>;
  explicit tls_source(maker make) : make_(std::move(make)) {}

  /// Returns the context; makes it on first use, and again after a failure.
  [[nodiscard]] core::result<tls_context> get();
  /// Makes the context again from the current files. An error leaves the old one in force. Does nothing for a context that was
  /// never used.
  [[nodiscard]] core::result<void> reload();

private:
  maker make_;
  std::mutex mutex_;
  tls_context context_;
};

} // namespace ringmaster::gateway::http
