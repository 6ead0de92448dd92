#include "gateway/transport/server/session.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

#include "gateway/transport/io/reply_text.hpp"
#include "gateway/transport/server/session_reply.hpp"

namespace ringmaster::gateway::http {

namespace {

constexpr std::size_t request_read_bytes = 4 * 1024;
constexpr std::size_t request_read_bytes_large = 64 * 1024;
constexpr std::size_t request_read_bytes_unused = 16 * 1024;
/// A body up to this size needs no room in the budget: typical bodies of executors are always read.
constexpr std::size_t small_body = 16 * 1024;
constexpr std::chrono::milliseconds linger_timeout{2000};
constexpr std::size_t refused_linger_bytes = 64 * 1024;
/// First byte of every TLS connection: a handshake record.
constexpr char tls_handshake_record = 0x16;

/// A little longer than announced, so that a client never writes into a connection that is being closed.
deadline::clock::duration idle_limit(std::chrono::milliseconds idle) {
  return idle + std::min<std::chrono::milliseconds>(idle / 10, std::chrono::milliseconds{2000});
}

} // namespace

session::session(listener& owner, tcp_socket socket)
  : deadline(owner.shared().limits), body_share(owner.shared().bodies), owner_(owner), socket_(std::move(socket)) {
  count(owner_.shared().connections_open);
  error_code ec;
  remote_ = socket_.remote_endpoint(ec).address();
  if (remote_.is_v6() && remote_.to_v6().is_v4_mapped())
    remote_ = asio::ip::make_address_v4(asio::ip::v4_mapped, remote_.to_v6());
  remote_address_ = remote_.to_string();
  loopback_ = remote_.is_loopback();
}

void session::start() {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(tcp::no_delay{true}, ec);
  next_request();
}

void session::start(const tls_context& context) {
  error_code ec;
  socket_.non_blocking(true, ec);
  socket_.set_option(tcp::no_delay{true}, ec);
  tls_ = tls_stream::accept(context, socket_.native_handle());
  if (!tls_)
    return close();
  phase_ = phase::shaking_hands;
  expire_after(owner_.settings().read_timeout);
  await_handshake(tcp_socket::wait_read);
}

void session::await_handshake(tcp_socket::wait_type what) {
  socket_.async_wait(what, [self = shared_from_this()](error_code) {
    if (self->phase_ == phase::shaking_hands)
      self->shake_hands();
  });
}

void session::shake_hands() {
  if (!heard_ && !hears_tls())
    return;
  switch (tls_->handshake()) {
  case tls_stream::step::done: return next_request();
  case tls_stream::step::wait: return await_handshake(tls_->wanted());
  case tls_stream::step::failed: return give_up_handshake();
  }
}

/// Returns true when the first byte begins a TLS handshake. Otherwise the session waits for the byte, or has been ended.
bool session::hears_tls() {
  char first = 0;
  const auto n = ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    await_handshake(tcp_socket::wait_read);
    return false;
  }
  if (n <= 0) { // Probes of load balancers connect and close.
    close();
    return false;
  }
  heard_ = true;
  if (first == tls_handshake_record)
    return true;
  count(owner_.shared().handshakes_failed);
  if (first >= 'A' && first <= 'Z')
    refuse_plain();
  else
    close();
  return false;
}

void session::refuse_plain() {
  tls_.reset();
  refusal_ = 400;
  write({400, "text/plain; charset=utf-8", "This server speaks HTTPS here, and you sent HTTP: use https:// instead.\n", {}});
}

void session::give_up_handshake() {
  count(owner_.shared().handshakes_failed);
  close();
}

void session::refuse() {
  refused_ = true;
  error_code ec;
  socket_.non_blocking(true, ec);
  write(plain_reply(503, "too many connections"));
}

void session::process() {
  processing_ = true;
  while (phase_ == phase::reading) {
    auto made = parse();
    if (made == progress::whole)
      dispatch();
    else if (made == progress::broken)
      reject(refusal_, refusal_ == 413   ? "the body is too large"
                       : refusal_ == 431 ? "the header is too large"
                                         : "malformed request");
    else
      break;
  }
  processing_ = false;
  if (phase_ == phase::reading)
    await_more();
}

session::progress session::parse() {
  const auto header_max = owner_.settings().header_bytes_max;
  if (!begun_ && !parser_->got_some()) {
    // Some clients end a body with a line break that its length does not count.
    auto skipped = std::min(in_.view().find_first_not_of("\r\n"), in_.size());
    in_.consume(skipped);
  }
  while (!in_.empty()) {
    error_code ec;
    const bool in_header = !parser_->is_header_done();
    const auto bytes = in_.view();
    const auto n = parser_->put(asio::const_buffer{bytes.data(), bytes.size()}, ec);
    in_.consume(n);
    refusal_ = refusal_of(ec);
    if (in_header) {
      // Beast's own limit applies to each field.
      header_bytes_ += n;
      if (header_bytes_ + (parser_->is_header_done() ? 0 : in_.size()) > header_max)
        refusal_ = 431;
    } else if (ec == boost::beast::http::error::need_more && in_.size() > header_max) {
      refusal_ = 400; // A chunk header or trailer without end.
    }
    if (refusal_ != 0)
      return progress::broken;
    if (in_header && parser_->is_header_done() && omits_body())
      return progress::whole;
    if (parser_->is_done())
      return progress::whole;
    if (ec)
      return progress::need_more;
  }
  return progress::need_more;
}

/// Decides by the announced length, before any of the body is held.
bool session::omits_body() {
  const auto& rule = owner_.body_limit();
  const auto length = parser_->content_length();
  const bool may_be_long = parser_->chunked() || (length && *length > small_body);
  if (!rule || !may_be_long)
    return false;
  auto& request = parser_->request;
  const auto most = rule(request.method, request.target);
  if (!length) {
    parser_->body_limit(std::min<std::uint64_t>(most, owner_.settings().body_bytes_max));
    return false;
  }
  request.body_omitted = *length > most;
  return request.body_omitted;
}

unsigned session::refusal_of(error_code ec) const noexcept {
  using boost::beast::http::error;
  if (!ec || ec == error::need_more)
    return 0;
  if (ec == error::header_limit)
    return 431;
  return ec == error::body_limit ? 413 : 400;
}

void session::await_more() {
  if (!begun_ && (parser_->got_some() || !in_.empty())) {
    begun_ = true;
    expire_after(owner_.settings().read_timeout);
  }
  if (parser_->is_header_done() && parser_->expects_continue)
    send_continue();
  if (phase_ == phase::reading)
    read();
}

void session::send_continue() {
  parser_->expects_continue = false;
  error_code ec;
  static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
  // 25 bytes into an empty socket buffer; the time limits end a client that never reads.
  if (!tls_)
    socket_.write_some(asio::buffer(interim), ec);
  else if (tls_->write(asio::buffer(interim), ec); ec)
    close(); // TLS must complete a record that it began, and nothing here would continue the write.
}

void session::read() {
  auto capacity = request_read_bytes;
  if (phase_ == phase::lingering) {
    capacity = request_read_bytes_unused;
  } else if (parser_->request.body.size() + request_read_bytes > small_body) {
    capacity = request_read_bytes_large;
    if (!hold(parser_->request.body.capacity() + capacity))
      return count(owner_.shared().body_waits);
  }
  auto room = in_.prepare(capacity);
  // Once our side has ended, further bytes are discarded without decryption.
  if (tls_ && phase_ != phase::lingering)
    return read_tls(asio::mutable_buffer{room.data, room.size});
  socket_.async_read_some(asio::mutable_buffer{room.data, room.size},
                          [self = shared_from_this()](error_code ec, std::size_t n) { self->on_read(ec, n); });
}

void session::read_tls(asio::mutable_buffer to) {
  auto self = shared_from_this();
  if (tls_->has_bytes())
    asio::post(owner_.shared().io, [self, to] { self->on_readable(to); });
  else
    socket_.async_wait(tls_->wanted(), [self, to](error_code) { self->on_readable(to); });
}

void session::on_readable(asio::mutable_buffer to) {
  if (phase_ != phase::reading)
    return;
  error_code ec;
  const auto n = tls_->read(to, ec);
  if (ec == asio::error::would_block)
    return read_tls(to);
  on_read(ec, n);
}

void session::room_came() { read(); }

void session::on_read(error_code ec, std::size_t n) {
  if (phase_ == phase::closed)
    return;
  if (ec)
    return close();
  in_.commit(n);
  if (phase_ == phase::reading)
    return process();
  in_.consume(in_.size());
  drained_ += n;
  auto drained_max = refused_ ? refused_linger_bytes : 4 * owner_.settings().body_bytes_max;
  if (drained_ > drained_max)
    return close();
  read();
}

void session::dispatch() {
  phase_ = phase::replying;
  ++ticket_;
  silent_ = false;
  keep_alive_ = parser_->keep_alive() && !parser_->request.body_omitted && !owner_.draining();
  reads_chunks_ = parser_->reads_chunks;
  auto request = std::move(parser_->request);
  head_only_ = request.method == "HEAD";
  request.remote_address = remote_address_;
  request.remote_is_loopback = loopback_;
  request.is_https = tls_ != nullptr;
  count(owner_.shared().requests);
  expire_after(owner_.settings().reply_timeout);
  try {
    owner_.handler()(std::move(request), std::make_shared<session_reply>(owner_.replies(), weak_from_this(), ticket_));
  } catch (...) {
    // The reply object is destroyed and has answered 500.
  }
}

void session::reject(unsigned status, std::string_view message) {
  keep_alive_ = false;
  head_only_ = false;
  std::string{}.swap(parser_->request.body);
  write(plain_reply(status, message));
}

void session::answer(std::uint64_t ticket, std::optional<protocol::http_response>&& response) {
  if (phase_ != phase::replying || ticket != ticket_)
    return;
  if (response)
    return write(std::move(*response));
  silent_ = true;
}

void session::hold_reply(std::uint64_t ticket, std::chrono::milliseconds longer) {
  if (phase_ != phase::replying || ticket != ticket_ || silent_)
    return;
  expire_after(owner_.settings().reply_timeout + longer);
  watch_client();
}

// Waits for one event at a time and is never cancelled: whatever arrives next wakes it.
void session::watch_client() {
  if (std::exchange(watched_, true))
    return;
  socket_.async_wait(tcp_socket::wait_read, [self = shared_from_this()](error_code ec) { self->on_stir(ec); });
}

void session::on_stir(error_code ec) {
  watched_ = false;
  if (ec || phase_ != phase::replying)
    return;
  if (tls_) {
    const auto seen = tls_->look();
    return seen == tls_stream::sight::silence ? watch_client() : seen == tls_stream::sight::end ? close() : void();
  }
  char next = 0;
  const auto n = socket_.receive(asio::buffer(&next, 1), tcp_socket::message_peek, ec);
  if (ec == asio::error::would_block)
    return watch_client();
  // Bytes of the next request show that the client is there, and precede the end of the connection.
  if (ec || n == 0)
    close();
}

void session::next_request() {
  if (ticket_ != 0 || refused_ || refusal_ != 0) {
    if (!keep_alive_)
      return linger();
  }
  phase_ = phase::reading;
  parser_.emplace(static_cast<std::uint32_t>(owner_.settings().header_bytes_max), owner_.settings().body_bytes_max);
  begun_ = false;
  header_bytes_ = 0;
  if (in_.capacity() > request_read_bytes)
    in_.release();
  // A large buffer with the beginning of the next request in it still counts.
  if (in_.capacity() < request_read_bytes_large)
    give_back();
  if (!body_.empty())
    body_ = {};
  expire_after(idle_limit(owner_.settings().idle_timeout));
  if (!processing_)
    process();
}

void session::linger() {
  // Closing with unread bytes resets the connection, and the client would lose the reply: end our side and read on.
  phase_ = phase::lingering;
  error_code ec;
  if (tls_)
    tls_->end();
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  if (ec)
    return close();
  in_.consume(in_.size());
  in_.release();
  give_back();
  expire_after(linger_timeout);
  read();
}

void session::drain() {
  if (phase_ == phase::shaking_hands || (phase_ == phase::reading && !begun_))
    close();
}

void session::abandon() {
  phase_ = phase::closed;
  error_code ec;
  socket_.close(ec);
  count(owner_.shared().connections_open, -1);
}

void session::close() {
  if (phase_ == phase::closed)
    return;
  if (tls_ && phase_ != phase::lingering && phase_ != phase::writing)
    tls_->end();
  phase_ = phase::closed;
  expire_never();
  source_.reset();
  error_code ec;
  socket_.close(ec);
  count(owner_.shared().connections_open, -1);
  const auto self = shared_from_this();
  owner_.forget(*this);
  give_back();
}

void session::expired() {
  auto self = shared_from_this();
  if (phase_ == phase::shaking_hands)
    return heard_ ? give_up_handshake() : close();
  if (phase_ == phase::writing && source_.stop_waiting())
    return body_written();
  if (phase_ != phase::replying || silent_)
    return close();
  keep_alive_ = false;
  write(plain_reply(503, "no reply in time"));
}

} // namespace ringmaster::gateway::http
