#pragma once

// A blocking TLS client for tests that must see or send exactly these bytes. Every wait has a deadline; a failure throws.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/time.h>

#include "tests/support/certificates.hpp"
#include "tests/support/raw_socket.hpp"

namespace ringmaster::test {

/// One connection to a server.
class tls_peer {
public:
  /// Shows `own` on request; offers no version above `version_max` if that is not 0.
  explicit tls_peer(const std::string& address, const certificate_files& own = {}, int version_max = 0)
    : context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free), ssl_(nullptr, &SSL_free), socket_(raw_socket::connect(address)) {
    SSL_CTX_set_security_level(context_.get(), 0);
    if (version_max != 0) {
      SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
      SSL_CTX_set_max_proto_version(context_.get(), version_max);
    }
    if (!own.certificate.empty()) {
      SSL_CTX_use_certificate_chain_file(context_.get(), own.certificate.c_str());
      SSL_CTX_use_PrivateKey_file(context_.get(), own.key.c_str(), SSL_FILETYPE_PEM);
    }
    timeval limit{socket_deadline.count() / 1000, 0};
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_.fd());
  }

  [[nodiscard]] bool shake_hands() {
    ERR_clear_error();
    return SSL_connect(ssl_.get()) == 1;
  }
  /// Name in the certificate that the server showed.
  [[nodiscard]] std::string name_of_server() const {
    std::unique_ptr<X509, decltype(&X509_free)> shown{SSL_get1_peer_certificate(ssl_.get()), &X509_free};
    char text[64] = "";
    if (shown)
      X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, text, sizeof text);
    return text;
  }
  void send(std::string_view bytes) {
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) != static_cast<int>(bytes.size()))
      throw std::runtime_error{"TLS write"};
  }
  /// Requests a key update (TLS 1.3). Returns false when the connection has ended.
  bool renew_keys() {
    ERR_clear_error();
    return SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl_.get()) == 1;
  }
  /// Closes the TLS connection orderly.
  void end() { SSL_shutdown(ssl_.get()); }
  /// Returns false at the end, or when the connection broke: see `ended_well`.
  bool read_some() {
    char bytes[16 * 1024];
    ERR_clear_error();
    const int n = SSL_read(ssl_.get(), bytes, sizeof bytes);
    if (n > 0)
      held_.append(bytes, static_cast<std::size_t>(n));
    ended_well_ = n <= 0 && SSL_get_error(ssl_.get(), n) == SSL_ERROR_ZERO_RETURN;
    return n > 0;
  }
  [[nodiscard]] bool ended_well() const noexcept { return ended_well_; }
  /// Reads a reply with a Content-Length.
  raw_socket::message read_message() {
    raw_socket::message got;
    std::size_t end;
    while ((end = held_.find("\r\n\r\n")) == std::string::npos)
      need_more();
    got.head = held_.substr(0, end + 4);
    got.first_line = got.head.substr(0, got.head.find("\r\n"));
    held_.erase(0, end + 4);
    if (const auto at = got.head.find("Content-Length: "); at != std::string::npos) {
      const auto size = std::stoul(got.head.substr(at + 16));
      while (held_.size() < size)
        need_more();
      got.body = held_.substr(0, size);
      held_.erase(0, size);
    }
    return got;
  }
  raw_socket& socket() noexcept { return socket_; }

private:
  void need_more() {
    if (!read_some())
      throw std::runtime_error{"the TLS connection ended; held: " + held_.substr(0, 200)};
  }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  raw_socket socket_;
  std::string held_;
  bool ended_well_ = false;
};

} // namespace ringmaster::test
