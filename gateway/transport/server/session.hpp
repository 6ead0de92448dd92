#pragma once

// Connection of a client to the server: reads a request, waits for its reply, writes it, reads the next.

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/io/byte_buffer.hpp"
#include "gateway/transport/server/listener.hpp"
#include "gateway/transport/server/request_parser.hpp"
#include "gateway/transport/server/source_reader.hpp"
#include "gateway/transport/tls/tls_stream.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// One connection of a client. Lives on the io thread, owned by its listener. Requests of one connection are handled one after
/// the other. Each phase has its time limit: the TLS handshake, idle, reading, the wait for the reply, writing, and the last
/// moments in which a client may still read a refusal. A large body waits for its share of the common budget.
class session final : public std::enable_shared_from_this<session>, private deadline, private body_share {
public:
  session(listener& owner, tcp_socket socket);

  void start();
  /// Starts the session over TLS.
  void start(const tls_context& context);
  /// Answers 503 before any request is read.
  void refuse();
  /// Sends the reply to request `ticket`; late and duplicate replies change nothing. Without a value the time limit ends the
  /// connection.
  void answer(std::uint64_t ticket, std::optional<protocol::http_response>&& response);
  /// Extends the time limit of the reply to request `ticket`, and watches for a client that goes away meanwhile.
  void hold_reply(std::uint64_t ticket, std::chrono::milliseconds longer);
  /// Ends after the pending reply; now when none is pending.
  void drain();
  void close();
  [[nodiscard]] bool refused() const noexcept { return refused_; }
  /// Closes a session that was never started and that the listener does not hold.
  void abandon();
  [[nodiscard]] const asio::ip::address& remote() const noexcept { return remote_; }
  /// Sets the client whose share this session uses; empty: none.
  void charge(std::string network) { charged_ = std::move(network); }
  [[nodiscard]] const std::string& charged() const noexcept { return charged_; }

private:
  enum class phase : std::uint8_t { shaking_hands, reading, replying, writing, lingering, closed };
  enum class progress : std::uint8_t { need_more, whole, broken };

  void shake_hands();
  void await_handshake(tcp_socket::wait_type what);
  [[nodiscard]] bool hears_tls();
  void refuse_plain();
  void give_up_handshake();
  void process();
  progress parse();
  [[nodiscard]] bool omits_body();
  [[nodiscard]] unsigned refusal_of(error_code ec) const noexcept;
  void await_more();
  void read();
  void read_tls(asio::mutable_buffer to);
  void on_readable(asio::mutable_buffer to);
  void on_read(error_code ec, std::size_t n);
  void dispatch();
  void reject(unsigned status, std::string_view message);
  // session_writing.cpp
  void write(protocol::http_response&& response);
  std::size_t write_now(error_code& ec);
  std::size_t write_tls(error_code& ec);
  void write_some();
  void on_written(error_code ec, std::size_t n);
  bool advance(std::size_t n);
  void body_written();
  void await_source();
  void next_request();
  void linger();
  void send_continue();
  void watch_client();
  void on_stir(error_code ec);
  void expired() override;
  void room_came() override;

  listener& owner_;
  tcp_socket socket_;
  /// Null: plain HTTP.
  std::unique_ptr<tls_stream> tls_;
  phase phase_ = phase::reading;
  /// The first byte has arrived, of a handshake or not.
  bool heard_ = false;
  bool keep_alive_ = false;
  bool head_only_ = false;
  bool reads_chunks_ = false;
  /// Bytes of a request have arrived, but not its end.
  bool begun_ = false;
  /// `process` is on the stack: it continues with the next request itself.
  bool processing_ = false;
  bool refused_ = false;
  /// The time limit of the reply closes the connection instead of answering 503.
  bool silent_ = false;
  bool loopback_ = false;
  /// The socket reports the next bytes, or the end of the connection.
  bool watched_ = false;
  unsigned refusal_ = 0;
  std::uint64_t ticket_ = 0;
  std::size_t header_bytes_ = 0;
  std::size_t drained_ = 0;
  std::optional<request_parser> parser_;
  byte_buffer in_;
  std::string head_;
  std::string body_;
  /// Bytes to send after the head: `body_`, or data that lives as long as the process.
  std::string_view rest_;
  /// Makes the body of a large reply.
  source_reader source_;
  /// Ends a wait for the source. Null before the first one.
  std::unique_ptr<tcp_timer> source_timer_;
  /// Parts of `head_` and `body_` that are still to be written.
  std::array<asio::const_buffer, 2> out_;
  std::size_t extended_at_ = 0;
  asio::ip::address remote_;
  std::string remote_address_;
  std::string charged_;
};

} // namespace ringmaster::gateway::http
