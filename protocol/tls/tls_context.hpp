#pragma once

// OpenSSL contexts: certificates, keys, trusted authorities, and the rules that all our TLS connections share (docs/adr/0022,
// 0026).

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/result.hpp"

struct ssl_ctx_st;
struct ssl_method_st;

namespace ringmaster::protocol {

/// TLS 1.2 or later, security level 2 or the system's if higher, no renegotiation, no session cache, no passphrases; a write may
/// be partial and be repeated from another buffer. A connection keeps the context that it began with.
using tls_context = std::shared_ptr<ssl_ctx_st>;

/// Makes a context without certificate and authorities. Errors: `internal`.
[[nodiscard]] core::result<tls_context> make_tls_context(const ssl_method_st* method);

/// A PEM file.
struct tls_file {
  std::string path;
  /// Words before the reason in an error, for example `server.tls_key = "x.key": `.
  std::string refusal;
};

/// Reads the own certificate with the chain below its authority, and its key. Errors: `invalid_argument` for files that cannot be
/// used and for a key of another certificate.
[[nodiscard]] core::result<void> use_identity(const tls_context& context, const tls_file& certificate, const tls_file& key);
/// Trusts the authorities in the file. Errors: `invalid_argument`.
[[nodiscard]] core::result<void> trust_authorities(const tls_context& context, const tls_file& authorities);

/// Returns the error for a file that OpenSSL has just refused on this thread.
[[nodiscard]] core::error refused_file(const tls_file& file);

/// Returns OpenSSL's messages about its last errors on this thread, and clears them. Never empty. A reason of the system, such as
/// a missing file, stands alone.
[[nodiscard]] std::string take_tls_error();

/// Returns true for OpenSSL's error of an alert by which a peer refuses our certificate, or asks for one.
[[nodiscard]] bool is_certificate_alert(unsigned long code) noexcept;

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

} // namespace ringmaster::protocol
