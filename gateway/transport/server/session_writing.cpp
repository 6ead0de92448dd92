// session: writing of replies.

#include <algorithm>
#include <utility>

#include "gateway/transport/io/reply_text.hpp"
#include "gateway/transport/server/session.hpp"

namespace ringmaster::gateway::http {

namespace {

/// Smaller bodies are copied after the head: one buffer, one plain send.
constexpr std::size_t copied_body_max = 16 * 1024;
/// A slow client gets another write_timeout for each piece of this size.
constexpr std::size_t write_progress = 64 * 1024;
/// Bytes encrypted in one go; then other connections are served.
constexpr std::size_t tls_write_turn = 256 * 1024;

} // namespace

void session::write(protocol::http_response&& response) {
  const bool ends_with_connection = !response.content_bytes() && !reads_chunks_;
  keep_alive_ = keep_alive_ && !owner_.draining() && !ends_with_connection;
  const auto idle_seconds = std::chrono::duration_cast<std::chrono::seconds>(owner_.settings().idle_timeout).count();
  head_.clear();
  append_reply_head(head_, response, {keep_alive_, head_only_, static_cast<long>(idle_seconds), reads_chunks_});
  const bool has_body = !response.source && !head_only_ && response.status != 204 && response.status != 304;
  body_.clear();
  rest_ = {};
  if (has_body && response.content().size() <= copied_body_max) {
    head_.append(response.content());
  } else if (has_body && !response.fixed_body.empty()) {
    rest_ = response.fixed_body;
  } else if (has_body) {
    body_ = std::move(response.body);
    rest_ = body_;
  }
  source_.reset(head_only_ ? nullptr : std::move(response.source), reads_chunks_);
  out_ = {asio::buffer(head_), asio::buffer(rest_)};
  phase_ = phase::writing;
  extended_at_ = head_.size() + rest_.size();
  // Nearly every reply fits into the socket's buffer, so that no wait is needed.
  error_code ec;
  auto n = write_now(ec);
  if (ec && ec != asio::error::would_block)
    return close();
  if (advance(n))
    return body_written();
  expire_after(owner_.settings().write_timeout);
  write_some();
}

void session::body_written() {
  switch (source_.next(body_, owner_.settings().write_timeout)) {
  case source_reader::step::end: return next_request();
  case source_reader::step::failed: return close();
  case source_reader::step::later: return await_source();
  case source_reader::step::piece: break;
  }
  rest_ = body_;
  out_ = {asio::const_buffer{}, asio::buffer(rest_)};
  extended_at_ = rest_.size();
  expire_after(owner_.settings().write_timeout);
  write_some();
}

// A timer of its own: the limits of all connections are looked through whenever one of them is over.
void session::await_source() {
  expire_after(owner_.settings().write_timeout);
  if (!source_timer_)
    source_timer_ = std::make_unique<tcp_timer>(socket_.get_executor());
  source_timer_->expires_after(source_reader::pause);
  source_timer_->async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->phase_ == phase::writing && self->source_.stop_waiting())
      self->body_written();
  });
}

std::size_t session::write_now(error_code& ec) {
  if (tls_)
    return write_tls(ec);
  return rest_.empty() ? socket_.write_some(out_[0], ec) : socket_.write_some(out_, ec);
}

std::size_t session::write_tls(error_code& ec) {
  std::size_t written = 0;
  for (auto part : out_) {
    while (part.size() != 0 && written < tls_write_turn) {
      const auto n = tls_->write(part, ec);
      if (ec)
        return written;
      written += n;
      part += n;
    }
  }
  return written;
}

void session::write_some() {
  if (tls_)
    return socket_.async_wait(tcp_socket::wait_write, [self = shared_from_this()](error_code ec) {
      std::size_t n = 0;
      if (!ec && self->phase_ == phase::writing)
        n = self->write_tls(ec);
      self->on_written(ec == asio::error::would_block ? error_code{} : ec, n);
    });
  socket_.async_write_some(out_, [self = shared_from_this()](error_code ec, std::size_t n) { self->on_written(ec, n); });
}

void session::on_written(error_code ec, std::size_t n) {
  if (phase_ != phase::writing)
    return;
  if (ec)
    return close();
  if (advance(n))
    return body_written();
  if (auto left = asio::buffer_size(out_); left + write_progress <= extended_at_) {
    extended_at_ = left;
    expire_after(owner_.settings().write_timeout);
  }
  write_some();
}

bool session::advance(std::size_t n) {
  auto of_head = std::min(n, out_[0].size());
  out_[0] += of_head;
  out_[1] += n - of_head;
  return out_[0].size() + out_[1].size() == 0;
}

} // namespace ringmaster::gateway::http
