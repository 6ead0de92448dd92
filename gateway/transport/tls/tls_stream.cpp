#include "gateway/transport/tls/tls_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace ringmaster::gateway::http {

namespace {

/// Session tickets come by twos and fours.
constexpr int records_looked_at = 16;

int size_of(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

/// Returns true for an alert of a peer that does not accept our side of the handshake, most likely for its certificate.
bool refuses_us(unsigned long code) {
  const auto reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET : -1;
  return protocol::is_certificate_alert(code) || reason == SSL_AD_DECRYPT_ERROR || reason == SSL_AD_HANDSHAKE_FAILURE;
}

bool name_peer(SSL* ssl, const std::string& host) {
  auto* rules = SSL_get0_param(ssl);
  error_code ec;
  (void)asio::ip::make_address(host, ec);
  if (!ec)
    return X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1;
  const auto name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

} // namespace

std::unique_ptr<tls_stream> tls_stream::accept(const tls_context& context, int descriptor) {
  std::unique_ptr<tls_stream> made{new tls_stream{SSL_new(context.get())}};
  if (!made->ssl_ || SSL_set_fd(made->ssl_, descriptor) != 1)
    return nullptr;
  SSL_set_accept_state(made->ssl_);
  return made;
}

std::unique_ptr<tls_stream> tls_stream::connect(const tls_context& context, int descriptor, const std::string& host,
                                                const tls_session& session) {
  std::unique_ptr<tls_stream> made{new tls_stream{SSL_new(context.get())}};
  if (!made->ssl_ || SSL_set_fd(made->ssl_, descriptor) != 1 || !name_peer(made->ssl_, host))
    return nullptr;
  SSL_set_connect_state(made->ssl_);
  if (session)
    SSL_set_session(made->ssl_, session.get());
  return made;
}

tls_stream::~tls_stream() { SSL_free(ssl_); }

error_code tls_stream::judge(int result) {
  const int os_error = errno;
  switch (SSL_get_error(ssl_, result)) {
  case SSL_ERROR_WANT_READ: wanted_ = tcp_socket::wait_read; return asio::error::would_block;
  case SSL_ERROR_WANT_WRITE: wanted_ = tcp_socket::wait_write; return asio::error::would_block;
  case SSL_ERROR_ZERO_RETURN: return asio::error::eof;
  case SSL_ERROR_SYSCALL: {
    broken_ = true;
    const error_code why = os_error != 0 ? error_code{os_error, boost::system::system_category()} : asio::error::connection_reset;
    error_ = why.message();
    return why;
  }
  default: break;
  }
  broken_ = true;
  const auto first = ERR_peek_error();
  refused_ = SSL_is_init_finished(ssl_) == 1 && SSL_version(ssl_) >= TLS1_3_VERSION && refuses_us(first);
  if (const auto verdict = SSL_get_verify_result(ssl_); verdict != X509_V_OK && SSL_is_init_finished(ssl_) != 1)
    error_ = std::string{"its certificate is not accepted: "} + X509_verify_cert_error_string(verdict);
  else
    error_ = protocol::take_tls_error();
  ERR_clear_error();
  return asio::error::connection_reset;
}

tls_stream::step tls_stream::handshake() {
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(ssl_);
  if (result == 1)
    return step::done;
  const auto ec = judge(result);
  if (ec == asio::error::would_block)
    return step::wait;
  if (error_.empty())
    error_ = ec.message();
  return step::failed;
}

std::size_t tls_stream::read(asio::mutable_buffer to, error_code& ec) {
  ec = {};
  ERR_clear_error();
  errno = 0;
  const int n = SSL_read(ssl_, to.data(), size_of(to.size()));
  if (n > 0)
    return static_cast<std::size_t>(n);
  ec = judge(n);
  return 0;
}

std::size_t tls_stream::write(asio::const_buffer from, error_code& ec) {
  ec = {};
  if (from.size() == 0)
    return 0;
  ERR_clear_error();
  errno = 0;
  const int n = SSL_write(ssl_, from.data(), size_of(from.size()));
  if (n > 0)
    return static_cast<std::size_t>(n);
  ec = judge(n);
  return 0;
}

bool tls_stream::has_bytes() const noexcept { return SSL_pending(ssl_) > 0; }

tls_stream::sight tls_stream::look() {
  char byte = 0;
  for (int records = 0; records < records_looked_at; ++records) {
    ERR_clear_error();
    errno = 0;
    if (const int n = SSL_peek(ssl_, &byte, 1); n > 0)
      return sight::bytes;
    else if (judge(n) != asio::error::would_block)
      return sight::end;
    // One record of TLS itself may precede another.
    if (::recv(SSL_get_fd(ssl_), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
      return sight::silence;
  }
  return sight::bytes;
}

tls_session tls_stream::session() const {
  tls_session found{SSL_get1_session(ssl_), &SSL_SESSION_free};
  return found && SSL_SESSION_is_resumable(found.get()) == 1 ? found : nullptr;
}

void tls_stream::end() noexcept {
  if (broken_ || SSL_is_init_finished(ssl_) != 1)
    return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

} // namespace ringmaster::gateway::http
