#pragma once

// Connection to an executor: it connects and carries one call after another, never two at once.

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

/// Connection to one executor. Lives on the io thread, owned by its origin.
class connection final : public std::enable_shared_from_this<connection>, private deadline {
public:
  enum class sending : std::uint8_t {
    /// The connection took the call and wrote bytes of it.
    begun,
    /// The gate is closed; the connection stays free.
    gate_closed,
    /// The peer has closed, no byte was written; the connection is closed.
    stale,
  };

  explicit connection(origin& owner);

  /// Connects to the first endpoint that answers, and does the TLS handshake for an https origin. Then sends `call`, or becomes
  /// free if `call` is empty. The call's connect timeout covers both.
  void open(pending_call&& call, const std::vector<tcp::endpoint>& endpoints);
  /// Sends the call; takes it only when the result is `begun`.
  sending send(pending_call& call);
  /// Marks the connection as idle from now on.
  void park(deadline::clock::time_point now);
  /// Ends the running call and closes, without notifying the origin.
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
  void go_on_streaming();
  void pause();
  void call_expired();
  std::size_t write(error_code& ec);
  void keep_session();
  void fail_read(error_code ec);
  void on_reply(bool reusable);
  void fail_call(std::string error, bool too_large = false);
  void close();
  void expired() override;

  origin& owner_;
  tcp_socket socket_;
  /// Null: plain HTTP.
  std::unique_ptr<tls_stream> tls_;
  tls_context tls_context_;
  /// A reply came over TLS, which proves that the peer accepted our certificate.
  bool accepted_ = false;
  /// The sink of the call is full, and nothing is read until it has room.
  bool paused_ = false;
  /// Ends a pause. Null before the first one.
  std::unique_ptr<tcp_timer> pause_timer_;
  phase phase_ = phase::connecting;
  bool established_ = false;
  unsigned attempt_ = 0;
  std::chrono::milliseconds connect_timeout_{0};
  deadline::clock::time_point connect_until_;
  /// Maximum idle time.
  std::chrono::milliseconds idle_{0};
  std::vector<tcp::endpoint> endpoints_;
  std::string connect_error_;
  pending_call call_;
  /// Time at which the first byte of the call was written; the epoch before that.
  clock::time_point sent_at_{};
  std::string out_;
  std::size_t written_ = 0;
  reply_reader reply_;
};

} // namespace ringmaster::gateway::http
