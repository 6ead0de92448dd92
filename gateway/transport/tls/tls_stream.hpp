#pragma once

// TLS on a socket that its user owns and waits for (docs/adr/0022). Never blocks: an unfinished operation says what to wait for.
// Native links have a stream of their own (actors/link/tls_stream.hpp): CAF's loop owns their sockets and decides when to read.

#include <cstddef>
#include <memory>
#include <string>

#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/tls/tls_context.hpp"

struct ssl_st;
struct ssl_session_st;

namespace ringmaster::gateway::http {

/// Session that a later connection to the same peer begins with, for a shorter handshake.
using tls_session = std::shared_ptr<ssl_session_st>;

/// TLS of one connection. Lives and is used on the io thread of its socket; the descriptor must be open and non-blocking as long
/// as it is used. After an error that is not `would_block` only `error` and the destructor may be called.
class tls_stream {
public:
  enum class step : std::uint8_t { done, wait, failed };

  /// Returns null when there is no memory.
  static std::unique_ptr<tls_stream> accept(const tls_context& context, int descriptor);
  /// Requires the peer to show a certificate of `host`, a name or an address without brackets.
  static std::unique_ptr<tls_stream> connect(const tls_context& context, int descriptor, const std::string& host,
                                             const tls_session& session);
  ~tls_stream();
  tls_stream(const tls_stream&) = delete;
  tls_stream& operator=(const tls_stream&) = delete;

  step handshake();
  /// Read and write like `read_some` and `write_some` of a socket: `would_block`, or `eof` when the peer announced its end. A
  /// peer that only closed is `connection_reset`: the data may be cut off. A write that would block must be repeated with the
  /// same bytes.
  std::size_t read(asio::mutable_buffer to, error_code& ec);
  std::size_t write(asio::const_buffer from, error_code& ec);
  /// Returns what the last unfinished handshake step, read or write waits for.
  [[nodiscard]] tcp_socket::wait_type wanted() const noexcept { return wanted_; }
  /// Returns true when decrypted bytes are left: the socket does not become readable for them.
  [[nodiscard]] bool has_bytes() const noexcept;
  enum class sight : std::uint8_t { silence, bytes, end };
  /// Returns whether there is something to read. Handles records of TLS itself; a peer that sends too many of them counts as
  /// sending data.
  [[nodiscard]] sight look();
  /// Returns true when the peer ended because of our certificate. With TLS 1.3 that comes after our handshake, and the peer has
  /// read nothing else.
  [[nodiscard]] bool was_refused() const noexcept { return refused_; }
  /// Returns the reason of the failure, for operators.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  /// Returns null while there is no session that could be reused.
  [[nodiscard]] tls_session session() const;
  /// Announces the end of our side to the peer, if that is possible at once.
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
