#include "gateway/transport/connection.hpp"

#include <utility>

#include <sys/socket.h>

#include "gateway/transport/reply_text.hpp"

namespace ringmaster::gateway::http {

namespace {

constexpr std::size_t read_bytes = 4 * 1024;
constexpr std::size_t read_bytes_large = 64 * 1024;
/// A buffer that one large call made is not kept for the small ones.
constexpr std::size_t kept_bytes_max = 64 * 1024;

std::string in_ms(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

} // namespace

connection::connection(origin& owner)
  : deadline(owner.owner().shared().limits), owner_(owner), socket_(owner.owner().shared().io) {}

void connection::open(pending_call&& call, const std::vector<tcp::endpoint>& endpoints) {
  call_ = std::move(call);
  endpoints_ = endpoints;
  connect_until_ = clock::now() + call_.call().connect_timeout;
  connect_next();
}

void connection::connect_next() {
  if (attempt_ == endpoints_.size())
    return connect_failed(connect_error_);
  const auto& endpoint = endpoints_[attempt_++];
  error_code ec;
  socket_.close(ec);
  socket_.open(endpoint.protocol(), ec);
  if (ec)
    return connect_failed(ec.message());
  // Each address of a name gets its share, so that one dead address does not use up the time of the others.
  const auto now = clock::now();
  expire_at(now + (connect_until_ - now) / static_cast<int>(endpoints_.size() - attempt_ + 1));
  socket_.async_connect(endpoint, [self = shared_from_this(), attempt = attempt_](error_code result) { self->on_connect(attempt, result); });
}

void connection::on_connect(unsigned attempt, error_code ec) {
  if (phase_ != phase::connecting || attempt != attempt_)
    return;
  if (ec) {
    connect_error_ = ec.message();
    // From the queue: with many addresses that refuse at once this must not become a recursion.
    return connect_next();
  }
  established();
}

void connection::connect_failed(std::string_view what) {
  auto error = "cannot connect to " + owner_.address().authority + ": " + std::string(what);
  auto call = std::move(call_);
  auto self = shared_from_this();
  auto& origin = owner_;
  close();
  origin.owner().finish(std::move(call), {protocol::delivery::not_sent, 0, {}, error, {}});
  origin.on_connect_failed(error);
}

void connection::established() {
  error_code ec;
  // What counts is whom we really reached.
  const auto peer = socket_.remote_endpoint(ec).address();
  if (ec)
    return connect_failed(ec.message());
  if (!owner_.owner().networks().allows(peer))
    return connect_failed(peer.to_string() + " is outside security.executor_networks");
  socket_.non_blocking(true, ec);
  socket_.set_option(tcp::no_delay{true}, ec);
  endpoints_ = {};
  established_ = true;
  owner_.on_established();
  phase_ = phase::idle;
  auto call = std::move(call_);
  auto self = shared_from_this();
  read();
  switch (send(call)) {
  case sending::begun: return;
  case sending::gate_closed:
    owner_.owner().finish(std::move(call), {protocol::delivery::gate_closed, 0, {}, "this node may not send any more", {}});
    return owner_.on_free(self, clock::now());
  case sending::stale:
    // Not repeated: a peer that accepts and closes would keep us busy for ever.
    owner_.owner().finish(std::move(call), {protocol::delivery::not_sent, 0, {}, owner_.address().authority + " closed the new connection", {}});
  }
}

bool connection::is_silent() {
  char byte = 0;
  return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

connection::sending connection::send(pending_call& call) {
  auto& asked = call.call();
  out_.clear();
  append_request(out_, owner_.address().authority, asked);
  if (!is_silent()) {
    close();
    return sending::stale;
  }
  if (asked.gate && !asked.gate->open_at(protocol::boottime_ns()))
    return sending::gate_closed;
  error_code ec;
  written_ = socket_.write_some(asio::buffer(out_), ec);
  if (written_ == 0) {
    close();
    return sending::stale;
  }
  phase_ = phase::calling;
  expire_after(asked.request_timeout);
  reply_.reset(asked.reply_bytes_max);
  call_ = std::move(call);
  if (written_ < out_.size())
    write_more();
  return sending::begun;
}

void connection::write_more() {
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code ec) {
    if (self->phase_ != phase::calling || self->written_ == self->out_.size())
      return;
    const auto& gate = self->call_.call().gate;
    if (gate && !gate->open_at(protocol::boottime_ns()))
      return self->fail_call("this node may not send any more; the request was cut off");
    if (!ec)
      self->written_ += self->socket_.write_some(asio::buffer(self->out_) + self->written_, ec);
    // A peer that does not read on may have answered already: the reply, or its absence, is what decides.
    if (ec && ec != asio::error::would_block)
      return;
    if (self->written_ < self->out_.size())
      self->write_more();
  });
}

void connection::park(clock::time_point now) {
  if (out_.capacity() > kept_bytes_max)
    out_ = {};
  if (in_.capacity() > read_bytes)
    in_.release();
  expire_at(now + owner_.owner().settings().connection_idle);
}

void connection::read() {
  auto room = in_.prepare(in_.capacity() > read_bytes ? read_bytes_large : read_bytes);
  socket_.async_read_some(asio::mutable_buffer{room.data, room.size},
                          [self = shared_from_this(), room](error_code ec, std::size_t n) { self->on_read(ec, n); });
}

void connection::on_read(error_code ec, std::size_t n) {
  if (phase_ == phase::closed)
    return;
  if (phase_ != phase::calling) // Nothing was asked: it closes, or talks out of turn.
    return close();
  in_.commit(n);
  auto bytes = in_.view();
  auto state = reply_.feed(bytes);
  if (ec == asio::error::eof && state == reply_reader::state::reading)
    state = reply_.end();
  const bool more = !bytes.empty();
  const bool filled = n == in_.capacity();
  in_.consume(in_.size());
  if (state == reply_reader::state::complete)
    return on_reply(!ec && !more && written_ == out_.size() && reply_.keeps_alive());
  if (state == reply_reader::state::broken)
    return fail_call(reply_.error());
  if (ec)
    return fail_call("the connection broke before the end of the reply: " + ec.message());
  if (filled)
    (void)in_.prepare(read_bytes_large);
  read();
}

void connection::on_reply(bool reusable) {
  const auto now = clock::now();
  auto call = std::move(call_);
  protocol::http_result result{protocol::delivery::answered, reply_.status(), reply_.take_body(), {}, {}};
  phase_ = phase::idle;
  owner_.on_answer(now);
  auto& origin = owner_;
  if (reusable) {
    read();
    origin.on_free(shared_from_this(), now);
  } else {
    close();
  }
  origin.owner().finish(std::move(call), std::move(result));
}

void connection::fail_call(std::string error) {
  auto call = std::move(call_);
  auto& origin = owner_;
  close();
  origin.owner().finish(std::move(call), {protocol::delivery::unknown, 0, {}, origin.address().authority + ": " + std::move(error), {}});
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  phase_ = phase::closed;
  expire_never();
  error_code ec;
  socket_.close(ec);
  owner_.on_closed(*this, established_);
}

void connection::stop() {
  const bool sent = phase_ == phase::calling;
  phase_ = phase::closed;
  expire_never();
  error_code ec;
  socket_.close(ec);
  if (auto call = std::move(call_))
    owner_.owner().finish(std::move(call), {sent ? protocol::delivery::unknown : protocol::delivery::not_sent, 0, {}, "this node is stopping", {}});
}

void connection::expired() {
  auto self = shared_from_this();
  switch (phase_) {
  case phase::connecting:
    connect_error_ = "no connection within " + in_ms(call_.call().connect_timeout);
    return connect_next();
  case phase::calling: return fail_call("no reply within " + in_ms(call_.call().request_timeout));
  case phase::idle: return close();
  case phase::closed: return;
  }
}

} // namespace ringmaster::gateway::http
