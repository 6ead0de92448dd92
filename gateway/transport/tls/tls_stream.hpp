#pragma once

// TLS on a socket that somebody else owns and waits for (docs/adr/0022). Never blocks: what cannot go on says what to wait for.

#include <cstddef>
#include <memory>
#include <string>

#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/tls/tls_context.hpp"

struct ssl_st;
struct ssl_session_st;

namespace ringmaster::gateway::http {

/// What a later connection to the same peer begins with, for a shorter handshake.
using tls_session = std::shared_ptr<ssl_session_st>;

/// One connection's TLS. Lives and is used on the io thread of its socket; the descriptor must be open and non-blocking as long
/// as it is used. After an error that is not `would_block` only `error` and the destructor may be called.
class tls_stream {
public:
  enum class step : std::uint8_t { done, wait, failed };

  /// Null when there is no memory.
  static std::unique_ptr<tls_stream> accept(const tls_context& context, int descriptor);
  /// The peer must show a certificate of `host`, a name or an address without brackets.
  static std::unique_ptr<tls_stream> connect(const tls_context& context, int descriptor, const std::string& host,
                                             const tls_session& session);
  ~tls_stream();
  tls_stream(const tls_stream&) = delete;
  tls_stream& operator=(const tls_stream&) = delete;

  step handshake();
  /// As `read_some` and `write_some` of a socket: `would_block`, `eof` when the peer said that it ends. A peer that only closed
  /// is `connection_reset`: what came may be cut off. A write that would block must be repeated with the same bytes.
  std::size_t read(asio::mutable_buffer to, error_code& ec);
  std::size_t write(asio::const_buffer from, error_code& ec);
  /// What the last step, read or write that could not go on waits for.
  [[nodiscard]] tcp_socket::wait_type wanted() const noexcept { return wanted_; }
  /// Bytes that were decrypted already: for them no socket becomes readable.
  [[nodiscard]] bool has_bytes() const noexcept;
  enum class sight : std::uint8_t { silence, bytes, end };
  /// Whether there is something to read. Reads what TLS itself has to say; who says too much of that counts as talking.
  [[nodiscard]] sight look();
  /// The peer ended because of our certificate. With TLS 1.3 that comes after our handshake, and the peer has read nothing else.
  [[nodiscard]] bool was_refused() const noexcept { return refused_; }
  /// Why it failed, for a person.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// Null while there is none that could be used again.
  [[nodiscard]] tls_session session() const;
  /// Tells the peer that nothing more comes, if that can be told at once.
  void end() noexcept;

private:
  explicit tls_stream(ssl_st* ssl) : ssl_(ssl) {}
  error_code judge(int result);

  ssl_st* ssl_;
  tcp_socket::wait_type wanted_ = tcp_socket::wait_read;
  bool broken_ = false;
  bool refused_ = false;
  std::string error_;
};

} // namespace ringmaster::gateway::http
