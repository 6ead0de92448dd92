#include "gateway/transport/tls/tls_context.hpp"

#include <array>
#include <string_view>

#include <openssl/ssl.h>

namespace ringmaster::gateway::http {

namespace {

/// Protocol name for ALPN: its length, then the name.
constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr std::string_view session_id_context = "ringmaster";

protocol::tls_file file_of(std::string_view setting, const std::string& path) {
  return {path, std::string{setting} + " = \"" + path + "\": "};
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered, unsigned size,
                    void*) {
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, length, http_1_1.data(), http_1_1.size(), offered, size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

core::result<tls_context> make_context(const SSL_METHOD* method) {
  auto made = protocol::make_tls_context(method);
  if (!made)
    return made;
  SSL_CTX_set_options(made->get(), SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Reads return after records of TLS itself, however many arrive, so that they cannot hold the thread.
  SSL_CTX_clear_mode(made->get(), SSL_MODE_AUTO_RETRY);
  // Idle connections are many, and each would hold 34 KiB.
  SSL_CTX_set_mode(made->get(), SSL_MODE_RELEASE_BUFFERS);
  return made;
}

} // namespace

core::result<tls_context> make_server_context(const config::server_settings& settings) {
  auto made = make_context(TLS_server_method());
  if (!made)
    return made;
  auto* context = made->get();
  if (auto used = protocol::use_identity(*made, file_of("server.tls_certificate", settings.tls_certificate),
                                         file_of("server.tls_key", settings.tls_key));
      !used)
    return tl::unexpected{used.error()};
  SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(session_id_context.data()),
                                 static_cast<unsigned>(session_id_context.size()));
  if (settings.tls_client_ca.empty())
    return made;
  const auto authorities = file_of("server.tls_client_ca", settings.tls_client_ca);
  auto* names = SSL_load_client_CA_file(authorities.path.c_str());
  if (!names)
    return tl::unexpected{protocol::refused_file(authorities)};
  SSL_CTX_set_client_CA_list(context, names); // takes them
  if (auto trusted = protocol::trust_authorities(*made, authorities); !trusted)
    return tl::unexpected{trusted.error()};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return made;
}

core::result<tls_context> make_client_context(const config::security_settings& settings) {
  auto made = make_context(TLS_client_method());
  if (!made)
    return made;
  auto* context = made->get();
  const auto authorities = file_of("security.executor_ca", settings.executor_ca);
  if (settings.executor_ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      return tl::unexpected{protocol::refused_file(authorities)};
  } else if (auto trusted = protocol::trust_authorities(*made, authorities); !trusted) {
    return tl::unexpected{trusted.error()};
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // Unlike every other call, this one returns 0 for success.
  if (SSL_CTX_set_alpn_protos(context, http_1_1.data(), http_1_1.size()) != 0)
    return core::fail(core::errc::internal, "OpenSSL: " + protocol::take_tls_error());
  if (settings.executor_certificate.empty())
    return made;
  if (auto used = protocol::use_identity(*made, file_of("security.executor_certificate", settings.executor_certificate),
                                         file_of("security.executor_key", settings.executor_key));
      !used)
    return tl::unexpected{used.error()};
  return made;
}

} // namespace ringmaster::gateway::http
