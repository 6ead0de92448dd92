#include "gateway/transport/tls/tls_context.hpp"

#include <array>
#include <iterator>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace ringmaster::gateway::http {

namespace {

/// Protocol name for ALPN: its length, then the name.
constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr std::string_view session_id_context = "ringmaster";
constexpr int security_level = 2;

tl::unexpected<core::error> refuse(std::string_view key, const std::string& file) {
  return core::fail(core::errc::invalid_argument, std::string(key) + " = \"" + file + "\": " + take_tls_error());
}

/// Refuses a passphrase; OpenSSL would ask at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered, unsigned size,
                    void*) {
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, length, http_1_1.data(), http_1_1.size(), offered, size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

core::result<tls_context> make_context(const SSL_METHOD* method) {
  ERR_clear_error();
  tls_context made{SSL_CTX_new(method), &SSL_CTX_free};
  if (!made || SSL_CTX_set_min_proto_version(made.get(), TLS1_2_VERSION) != 1)
    return core::fail(core::errc::internal, "OpenSSL: " + take_tls_error());
  auto* context = made.get();
  SSL_CTX_set_security_level(context, security_level);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                 SSL_OP_PRIORITIZE_CHACHA);
  // Reads return after records of TLS itself, however many arrive, so that they cannot hold the thread.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  // Idle connections are many, and each would hold 34 KiB.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF); // tickets do not need it
  SSL_CTX_set_default_passwd_cb(context, &no_passphrase);
  return made;
}

struct identity {
  std::string_view certificate_key;
  const std::string& certificate;
  std::string_view key_key;
  const std::string& key;
};

core::result<void> take_identity(SSL_CTX* context, const identity& files) {
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    return refuse(files.certificate_key, files.certificate);
  // Compares key and certificate; a key of another certificate is refused here.
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(context) != 1)
    return refuse(files.key_key, files.key);
  return {};
}

} // namespace

std::string take_tls_error() {
  std::string text;
  while (const auto code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    const std::string said = ERR_SYSTEM_ERROR(code) ? std::generic_category().message(ERR_GET_REASON(code))
                                                    : std::string{reason ? reason : "unknown error"};
    if (text.find(said) == std::string::npos)
      text.append(text.empty() ? "" : ", ").append(said);
  }
  return text.empty() ? "unknown error" : text;
}

core::result<tls_context> make_server_context(const config::server_settings& settings) {
  auto made = make_context(TLS_server_method());
  if (!made)
    return made;
  auto* context = made->get();
  const identity files{"server.tls_certificate", settings.tls_certificate, "server.tls_key", settings.tls_key};
  if (auto taken = take_identity(context, files); !taken)
    return tl::unexpected{taken.error()};
  SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(session_id_context.data()),
                                 static_cast<unsigned>(session_id_context.size()));
  if (settings.tls_client_ca.empty())
    return made;
  auto* names = SSL_load_client_CA_file(settings.tls_client_ca.c_str());
  if (!names || SSL_CTX_load_verify_file(context, settings.tls_client_ca.c_str()) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return refuse("server.tls_client_ca", settings.tls_client_ca);
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return made;
}

core::result<tls_context> make_client_context(const config::security_settings& settings) {
  auto made = make_context(TLS_client_method());
  if (!made)
    return made;
  auto* context = made->get();
  const auto& ca = settings.executor_ca;
  if ((ca.empty() ? SSL_CTX_set_default_verify_paths(context) : SSL_CTX_load_verify_file(context, ca.c_str())) != 1)
    return refuse("security.executor_ca", ca);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // Unlike every other call, this one returns 0 for success.
  if (SSL_CTX_set_alpn_protos(context, http_1_1.data(), http_1_1.size()) != 0)
    return core::fail(core::errc::internal, "OpenSSL: " + take_tls_error());
  if (settings.executor_certificate.empty())
    return made;
  const identity files{"security.executor_certificate", settings.executor_certificate, "security.executor_key",
                       settings.executor_key};
  if (auto taken = take_identity(context, files); !taken)
    return tl::unexpected{taken.error()};
  return made;
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

} // namespace ringmaster::gateway::http
