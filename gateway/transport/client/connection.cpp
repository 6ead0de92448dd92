#include "gateway/transport/client/connection.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

#include "gateway/transport/client/client.hpp"
#include "gateway/transport/io/reply_text.hpp"

namespace ringmaster::gateway::http {

namespace {

/// A larger buffer, made by one large call, is not kept for small calls.
constexpr std::size_t kept_bytes_max = 4 * 1024;

bool may_send(const protocol::http_call& call) {
  return !call.gate || call.gate->open_at(call.incarnation, protocol::boottime_ns());
}

/// Pause in which a full sink may make room.
constexpr std::chrono::milliseconds sink_pause{2};

std::string in_ms(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

} // namespace

connection::connection(origin& owner)
  : deadline(owner.owner().shared().limits), owner_(owner), socket_(owner.owner().shared().io) {}

void connection::open(pending_call&& call, const std::vector<tcp::endpoint>& endpoints) {
  call_ = std::move(call);
  endpoints_ = endpoints;
  connect_timeout_ = call_ ? call_.call().connect_timeout : owner_.owner().settings().connect_timeout;
  connect_until_ = clock::now() + connect_timeout_;
  connect_next();
}

void connection::connect_next() {
  if (attempt_ == endpoints_.size())
    return connect_failed(connect_error_);
  const auto& endpoint = endpoints_[attempt_++];
  error_code ec;
  tls_.reset();
  socket_.close(ec);
  socket_.open(endpoint.protocol(), ec);
  if (ec)
    return connect_failed(ec.message());
  // Each address of a name gets its share of the time, so that one dead address does not use up the time of the others.
  const auto now = clock::now();
  expire_at(now + (connect_until_ - now) / static_cast<int>(endpoints_.size() - attempt_ + 1));
  socket_.async_connect(
    endpoint, [self = shared_from_this(), attempt = attempt_](error_code result) { self->on_connect(attempt, result); });
}

void connection::on_connect(unsigned attempt, error_code ec) {
  if (phase_ != phase::connecting || attempt != attempt_)
    return;
  if (ec) {
    connect_error_ = ec.message();
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
  if (call)
    origin.owner().finish(std::move(call), {protocol::delivery::not_sent, 0, {}, error, {}, {}, true});
  origin.on_connect_failed(error);
}

void connection::established() {
  error_code ec;
  // The rule applies to the peer that was really reached.
  const auto peer = socket_.remote_endpoint(ec).address();
  if (ec)
    return connect_failed(ec.message());
  if (!owner_.owner().networks().allows(peer))
    return connect_failed(peer.to_string() + " is outside security.executor_networks");
  socket_.non_blocking(true, ec);
  socket_.set_option(tcp::no_delay{true}, ec);
  if (owner_.address().tls)
    begin_tls();
  else
    ready();
}

void connection::begin_tls() {
  auto context = owner_.owner().tls().get();
  if (!context)
    return connect_failed(context.error().context);
  tls_context_ = std::move(*context);
  tls_ = tls_stream::connect(tls_context_, socket_.native_handle(), owner_.address().host, owner_.session(tls_context_));
  if (!tls_)
    return connect_failed("out of memory for TLS");
  shake_hands();
}

void connection::shake_hands() {
  switch (tls_->handshake()) {
  case tls_stream::step::done: return ready();
  case tls_stream::step::failed: connect_error_ = "TLS: " + tls_->error(); return connect_next();
  case tls_stream::step::wait:
    socket_.async_wait(tls_->wanted(), [self = shared_from_this(), attempt = attempt_](error_code) {
      if (self->phase_ == phase::connecting && attempt == self->attempt_)
        self->shake_hands();
    });
  }
}

void connection::ready() {
  endpoints_ = {};
  established_ = true;
  owner_.on_established();
  phase_ = phase::idle;
  auto call = std::move(call_);
  auto self = shared_from_this();
  await_bytes();
  if (call)
    return send_first(std::move(call));
  idle_ = owner_.owner().settings().connection_idle;
  owner_.on_free(self, clock::now());
}

void connection::send_first(pending_call&& call) {
  auto self = shared_from_this();
  switch (send(call)) {
  case sending::begun: return;
  case sending::gate_closed:
    owner_.owner().finish(std::move(call), gate_closed());
    idle_ = owner_.owner().settings().connection_idle;
    return owner_.on_free(self, clock::now());
  case sending::stale:
    // Not repeated: a peer that accepts and closes would keep this node busy indefinitely.
    owner_.owner().finish(
      std::move(call), {protocol::delivery::not_sent, 0, {}, owner_.address().authority + " closed the new connection", {}, {}});
  }
}

bool connection::is_silent() {
  if (tls_)
    return tls_->look() == tls_stream::sight::silence;
  char byte = 0;
  return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

connection::sending connection::send(pending_call& call) {
  auto& asked = call.call();
  if (call.ready()) {
    out_ = call.batch->texts[call.index]; // kept: after a stale connection the next one needs it
  } else {
    out_.clear();
    append_request(out_, owner_.address().authority, asked);
  }
  if (!is_silent()) {
    close();
    return sending::stale;
  }
  if (!may_send(asked))
    return sending::gate_closed;
  sent_at_ = clock::now();
  error_code ec;
  written_ = 0;
  written_ = write(ec);
  if (written_ == 0) {
    close();
    return sending::stale;
  }
  phase_ = phase::calling;
  paused_ = false;
  expire_at(sent_at_ + asked.request_timeout);
  if (asked.sink)
    asked.sink->begin();
  reply_.reset(asked.reply_bytes_max, asked.sink.get());
  call_ = std::move(call);
  if (written_ < out_.size())
    write_more();
  return sending::begun;
}

std::size_t connection::write(error_code& ec) {
  const auto rest = asio::buffer(out_) + written_;
  return tls_ ? tls_->write(rest, ec) : socket_.write_some(rest, ec);
}

void connection::write_more() {
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code ec) {
    if (self->phase_ != phase::calling || self->written_ == self->out_.size())
      return;
    if (!may_send(self->call_.call()))
      return self->fail_call("this node may not send any more; the request was cut off");
    if (!ec)
      self->written_ += self->write(ec);
    // A peer that stops reading may have answered already: the reply, or its absence, decides.
    if (ec && ec != asio::error::would_block)
      return;
    if (self->written_ < self->out_.size())
      self->write_more();
  });
}

void connection::park(clock::time_point now) {
  if (out_.capacity() > kept_bytes_max)
    out_ = {};
  expire_at(now + idle_);
}

void connection::await_bytes() {
  // Only waits and reads nothing, also while a request is on its way. Bytes that came too early are then still there for
  // `is_silent` to find.
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code) { self->on_bytes(); });
}

void connection::on_bytes() {
  if (phase_ == phase::calling)
    return read();
  if (phase_ != phase::idle)
    return;
  if (!is_silent()) // No request is open: the peer closes, or sends unrequested bytes.
    return close();
  await_bytes();
}

void connection::read() {
  const auto room = owner_.owner().read_buffer();
  error_code ec;
  const auto to = asio::buffer(room.data(), room.size());
  const auto n = tls_ ? tls_->read(to, ec) : socket_.read_some(to, ec);
  if (ec == asio::error::would_block)
    return await_bytes();
  accepted_ = accepted_ || n > 0;
  std::string_view bytes{room.data(), n};
  auto state = reply_.feed(bytes);
  if (ec == asio::error::eof && state == reply_reader::state::reading)
    state = reply_.end();
  if (state == reply_reader::state::complete)
    return on_reply(!ec && bytes.empty() && written_ == out_.size() && reply_.keeps_alive());
  if (state == reply_reader::state::broken)
    return fail_call(reply_.error(), reply_.too_large());
  if (ec)
    return fail_read(ec);
  if (call_.call().sink)
    return go_on_streaming();
  await_bytes();
}

// Each part of a streamed answer extends the time limit, up to that of the whole call. A full sink stops the reading, so that the
// executor waits: its bytes stay in the sockets' buffers.
void connection::go_on_streaming() {
  const auto& asked = call_.call();
  const auto now = clock::now();
  const auto end = sent_at_ + asked.stream_timeout;
  paused_ = asked.sink->is_full();
  if (paused_) {
    expire_at(end);
    return pause();
  }
  expire_at(std::min(now + asked.request_timeout, end));
  await_bytes();
}

// A timer of its own: the limits of all connections are looked through whenever one of them is over.
void connection::pause() {
  if (!pause_timer_)
    pause_timer_ = std::make_unique<tcp_timer>(socket_.get_executor());
  pause_timer_->expires_after(sink_pause);
  pause_timer_->async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->phase_ == phase::calling && self->paused_)
      self->go_on_streaming();
  });
}

void connection::fail_read(error_code ec) {
  if (!tls_ || accepted_ || !tls_->was_refused())
    return fail_call("the connection broke before the end of the reply: " + ec.message());
  // With TLS 1.3 the peer checks our certificate after our side has finished the handshake. It has not read a byte of the
  // request.
  auto error = "cannot connect to " + owner_.address().authority + ": TLS: it refuses this node's certificate: " + tls_->error();
  auto call = std::move(call_);
  auto& origin = owner_;
  close();
  origin.owner().finish(std::move(call), {protocol::delivery::not_sent, 0, {}, std::move(error), {}, {}, true});
}

void connection::keep_session() {
  if (auto session = tls_->session())
    owner_.keep_session(std::move(session), tls_context_);
}

void connection::on_reply(bool reusable) {
  const auto now = clock::now();
  auto call = std::move(call_);
  protocol::http_result result{protocol::delivery::answered, reply_.status(), reply_.take_body(), {}, {}, sent_at_};
  result.streamed = call.call().sink != nullptr;
  phase_ = phase::idle;
  owner_.on_answer(now);
  if (tls_)
    keep_session();
  auto& origin = owner_;
  // The peer's announced keep-alive time applies, with a second to spare for the request to arrive.
  const auto& settings = owner_.owner().settings();
  idle_ = std::min<std::chrono::milliseconds>(settings.connection_idle, reply_.keeps_for() - std::chrono::seconds{1});
  if (reusable && idle_ > std::chrono::milliseconds{0}) {
    await_bytes();
    origin.on_free(shared_from_this(), now);
  } else {
    close();
  }
  origin.owner().finish(std::move(call), std::move(result));
}

void connection::fail_call(std::string error, bool too_large) {
  auto call = std::move(call_);
  auto& origin = owner_;
  close();
  error = origin.address().authority + ": " + error;
  origin.owner().finish(std::move(call),
                        {protocol::delivery::unknown, 0, {}, std::move(error), {}, sent_at_, false, too_large});
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  if (tls_)
    tls_->end();
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
  auto call = std::move(call_);
  if (!call)
    return;
  auto result = stopped(call.call());
  if (sent)
    result = {protocol::delivery::unknown, 0, {}, "this node is stopping", {}, sent_at_};
  owner_.owner().finish(std::move(call), std::move(result));
}

void connection::call_expired() {
  const auto& asked = call_.call();
  const bool is_over = asked.sink && clock::now() >= sent_at_ + asked.stream_timeout;
  if (is_over)
    return fail_call("the reply did not end within " + in_ms(asked.stream_timeout));
  fail_call("no reply within " + in_ms(asked.request_timeout));
}

void connection::expired() {
  auto self = shared_from_this();
  switch (phase_) {
  case phase::connecting:
    connect_error_ = "no connection within " + in_ms(connect_timeout_);
    return connect_next();
  case phase::calling: return call_expired();
  case phase::idle: return close();
  case phase::closed: return;
  }
}

} // namespace ringmaster::gateway::http
