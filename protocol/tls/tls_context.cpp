#include "protocol/tls/tls_context.hpp"

#include <algorithm>
#include <system_error>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace ringmaster::protocol {

namespace {

/// Minimum; the system's level stays if it is higher.
constexpr int security_level = 2;

/// Refuses a passphrase; OpenSSL would ask at the terminal. Sets `wanted`, a bool or null.
int no_passphrase(char*, int, int, void* wanted) {
  if (wanted)
    *static_cast<bool*>(wanted) = true;
  return -1;
}

/// Returns the error for a key that OpenSSL has just refused on this thread, in plain words where OpenSSL has none.
core::error refused_key(const tls_file& key, bool has_passphrase) {
  const auto first = ERR_peek_error();
  const bool is_other_file = ERR_GET_LIB(first) == ERR_LIB_OSSL_DECODER && ERR_GET_REASON(first) == ERR_R_UNSUPPORTED;
  if (!has_passphrase && !is_other_file)
    return refused_file(key);
  ERR_clear_error();
  return {core::errc::invalid_argument, key.refusal + (has_passphrase ? "the key has a passphrase; store the key without one"
                                                                      : "not a PEM file with a private key")};
}

} // namespace

core::result<tls_context> make_tls_context(const ssl_method_st* method) {
  ERR_clear_error();
  tls_context made{SSL_CTX_new(method), &SSL_CTX_free};
  if (!made || SSL_CTX_set_min_proto_version(made.get(), TLS1_2_VERSION) != 1)
    return core::fail(core::errc::internal, "OpenSSL: " + take_tls_error());
  auto* context = made.get();
  SSL_CTX_set_security_level(context, std::max(security_level, SSL_CTX_get_security_level(context)));
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); // tickets do not need it
  SSL_CTX_set_default_passwd_cb(context, &no_passphrase);
  return made;
}

core::result<void> use_identity(const tls_context& context, const tls_file& certificate, const tls_file& key) {
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.path.c_str()) != 1)
    return tl::unexpected{refused_file(certificate)};
  bool has_passphrase = false;
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &has_passphrase);
  // Compares key and certificate; a key of another certificate is refused here.
  const bool used = SSL_CTX_use_PrivateKey_file(context.get(), key.path.c_str(), SSL_FILETYPE_PEM) == 1
                    && SSL_CTX_check_private_key(context.get()) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), nullptr);
  if (!used)
    return tl::unexpected{refused_key(key, has_passphrase)};
  return {};
}

core::result<void> trust_authorities(const tls_context& context, const tls_file& authorities) {
  if (SSL_CTX_load_verify_file(context.get(), authorities.path.c_str()) != 1)
    return tl::unexpected{refused_file(authorities)};
  return {};
}

core::error refused_file(const tls_file& file) { return {core::errc::invalid_argument, file.refusal + take_tls_error()}; }

std::string take_tls_error() {
  std::string text;
  while (const auto code = ERR_get_error()) {
    if (ERR_SYSTEM_ERROR(code)) {
      ERR_clear_error();
      return std::generic_category().message(ERR_GET_REASON(code));
    }
    if (ERR_GET_REASON(code) == ERR_R_PEM_LIB) // says only where the reasons before it come from
      continue;
    const bool has_none = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
    const char* reason = has_none ? "not a PEM file with a certificate" : ERR_reason_error_string(code);
    const std::string said = reason ? reason : "unknown error";
    if (text.find(said) == std::string::npos)
      text.append(text.empty() ? "" : ", ").append(said);
  }
  return text.empty() ? "unknown error" : text;
}

bool is_certificate_alert(unsigned long code) noexcept {
  switch (ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET : -1) {
  case SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_UNSUPPORTED_CERTIFICATE:
  case SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_UNKNOWN_CA:
  case SSL_AD_ACCESS_DENIED:
  case TLS13_AD_CERTIFICATE_REQUIRED: return true;
  default: return false;
  }
}

core::result<tls_context> tls_source::get() {
  std::lock_guard guard{mutex_};
  if (context_)
    return context_;
  auto made = make_();
  if (made)
    context_ = *made;
  return made;
}

core::result<void> tls_source::reload() {
  {
    std::lock_guard guard{mutex_};
    if (!context_)
      return {};
  }
  // Made without the lock, so that other threads that need a context do not wait for a slow disk.
  auto made = make_();
  if (!made)
    return tl::unexpected{made.error()};
  std::lock_guard guard{mutex_};
  context_ = std::move(*made);
  return {};
}

} // namespace ringmaster::protocol
