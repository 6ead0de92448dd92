#pragma once

// One connection to an executor: connects, carries one call after another, never two at once.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/transport/client/origin.hpp"
#include "gateway/transport/client/reply_reader.hpp"
#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/tls/tls_stream.hpp"

namespace ringmaster::gateway::http {

/// Lives on the io thread, owned by its origin.
class connection final : public std::enable_shared_from_this<connection>, private deadline {
public:
  enum class sending : std::uint8_t {
    /// The connection has the call, and bytes of it were written.
    begun,
    /// The gate is closed; the connection stays free.
    gate_closed,
    /// The peer has gone, nothing was written; the connection is closed.
    stale,
  };

  explicit connection(origin& owner);

  /// Connects to the first endpoint that answers, and shakes hands where the origin is https; then sends `call`, or is free if
  /// that is empty. The connect timeout is the call's and covers both.
  void open(pending_call&& call, const std::vector<tcp::endpoint>& endpoints);
  /// Takes the call only when it returns `begun`.
  sending send(pending_call& call);
  /// Idle from now on.
  void park(deadline::clock::time_point now);
  /// Ends the running call and closes, without a word to the origin.
  void stop();

private:
  enum class phase : std::uint8_t { connecting, idle, calling, closed };

  void connect_next();
  void on_connect(unsigned attempt, error_code ec);
  void connect_failed(std::string_view what);
  void established();
  void begin_tls();
  void shake_hands();
  void ready();
  void send_first(pending_call&& call);
  [[nodiscard]] bool is_silent();
  void write_more();
  void await_bytes();
  void on_bytes();
  void read();
  std::size_t write(error_code& ec);
  void keep_session();
  void fail_read(error_code ec);
  void on_reply(bool reusable);
  void fail_call(std::string error, bool too_large = false);
  void close();
  void expired() override;

  origin& owner_;
  tcp_socket socket_;
  /// Null: in the clear.
  std::unique_ptr<tls_stream> tls_;
  tls_context tls_context_;
  /// A reply came over TLS, so that the peer takes us for who we are.
  bool accepted_ = false;
  phase phase_ = phase::connecting;
  bool established_ = false;
  unsigned attempt_ = 0;
  std::chrono::milliseconds connect_timeout_{0};
  deadline::clock::time_point connect_until_;
  /// How long it may be idle.
  std::chrono::milliseconds idle_{0};
  std::vector<tcp::endpoint> endpoints_;
  std::string connect_error_;
  pending_call call_;
  /// When the first byte of the call was written; the epoch before.
  clock::time_point sent_at_{};
  std::string out_;
  std::size_t written_ = 0;
  reply_reader reply_;
};

} // namespace ringmaster::gateway::http
