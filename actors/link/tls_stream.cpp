#include "actors/link/tls_stream.hpp"

#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "actors/link/basp_border.hpp"
#include "actors/link/channel_bindings.hpp"
#include "actors/link/sockets.hpp"
#include "actors/link/tls_texts.hpp"
#include "core/limits/log_rate_limiter.hpp"

#include <caf/io/network/stream_impl.hpp>
#include <openssl/err.h>

namespace ringmaster::actors {

namespace network = caf::io::network;

// -- visitors --------------------------------------------------------------------------------------------------------------

visitors::ticket visitors::enter(int fd) {
  std::lock_guard guard{mutex_};
  drop_guests(guests_max - 1);
  return guests_.insert(guests_.end(), entry{fd, std::chrono::steady_clock::now()});
}

// Shuts down the sockets of the oldest guests. The end of a stream then removes its entry.
void visitors::drop_guests(std::size_t count_max) {
  const auto now = std::chrono::steady_clock::now();
  std::size_t left = guests_.size();
  for (const auto& each : guests_) {
    if (left <= count_max && now - each.since < age_max)
      break;
    ::shutdown(each.fd, SHUT_RDWR);
    --left;
  }
}

void visitors::leave(ticket which) {
  std::lock_guard guard{mutex_};
  const auto [first, last] = by_node_.equal_range(which->node);
  for (auto at = first; at != last; ++at)
    if (at->second == which) {
      by_node_.erase(at);
      break;
    }
  (which->is_guest ? guests_ : admitted_).erase(which);
}

void visitors::name(ticket which, const caf::node_id& node) {
  std::lock_guard guard{mutex_};
  which->node = node;
  by_node_.emplace(node, which);
}

void visitors::admit(const caf::node_id& node) {
  std::lock_guard guard{mutex_};
  const auto [first, last] = by_node_.equal_range(node);
  for (auto at = first; at != last; ++at)
    if (std::exchange(at->second->is_guest, false))
      admitted_.splice(admitted_.end(), guests_, at->second);
}

void visitors::sweep() {
  std::lock_guard guard{mutex_};
  drop_guests(guests_max);
}

std::string visitors::remote_of(const caf::node_id& node) const {
  std::lock_guard guard{mutex_};
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? std::string{} : remote_address(found->second->fd);
}

void tls_trouble::set(std::string text) {
  std::lock_guard guard{mutex_};
  text_ = std::move(text);
}

std::string tls_trouble::get() const {
  std::lock_guard guard{mutex_};
  return text_;
}

// -- the connection --------------------------------------------------------------------------------------------------------

namespace {

// Blocks SIGPIPE: OpenSSL writes to sockets whose other end may be closed. The threads that write are CAF's and live as long as
// the system.
void block_pipe_signal() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

tls_session session_on(const tls_context& context, int fd) {
  tls_session made{SSL_new(context.get()), &SSL_free};
  if (!made || SSL_set_fd(made.get(), fd) != 1)
    return {nullptr, &SSL_free};
  return made;
}

} // namespace

core::result<tls_session> shake_hands(const tls_context& context, int fd, std::chrono::steady_clock::time_point until) {
  const auto fail = [](const std::string& why) { return core::fail(core::errc::unavailable, why); };
  auto session = session_on(context, fd);
  if (!session)
    return fail("TLS: no memory");
  SSL_set_connect_state(session.get());
  block_pipe_signal();
  for (;;) {
    ERR_clear_error();
    const auto returned = SSL_do_handshake(session.get());
    if (returned == 1)
      return session;
    const auto wanted = SSL_get_error(session.get(), returned);
    if (wanted != SSL_ERROR_WANT_READ && wanted != SSL_ERROR_WANT_WRITE)
      return fail(failure_in_words(session.get()));
    if (!await(fd, wanted == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until))
      return fail("no TLS handshake in time");
  }
}

tls_session await_hands(const tls_context& context, int fd) {
  auto session = session_on(context, fd);
  if (session)
    SSL_set_accept_state(session.get());
  return session;
}

tls_policy::tls_policy(tls_session session, failure_listener on_failure)
  : ssl_{std::move(session)}, on_failure_{std::move(on_failure)}, shaken_{ssl_ && SSL_is_init_finished(ssl_.get()) == 1} {}

tls_policy::rw_state tls_policy::outcome_of(int returned, bool in_handshake) {
  switch (SSL_get_error(ssl_.get(), returned)) {
  case SSL_ERROR_WANT_READ: return in_handshake ? rw_state::want_read : rw_state::success;
  case SSL_ERROR_WANT_WRITE: return rw_state::success;
  default: break;
  }
  auto why = failure_in_words(ssl_.get());
  const bool was_heard = BIO_number_read(SSL_get_rbio(ssl_.get())) != 0;
  if (auto tell = std::exchange(on_failure_, nullptr); tell && was_heard)
    tell(std::move(why), in_handshake);
  return rw_state::failure;
}

tls_policy::rw_state tls_policy::shake_hands() {
  if (!ssl_)
    return rw_state::failure;
  if (!std::exchange(signal_blocked_, true))
    block_pipe_signal();
  if (shaken_)
    return rw_state::success;
  ERR_clear_error();
  const auto returned = SSL_do_handshake(ssl_.get());
  if (returned != 1)
    return outcome_of(returned, true);
  shaken_ = true;
  return rw_state::success;
}

template <class Move>
tls_policy::rw_state tls_policy::after_handshake(std::size_t size, Move&& move) {
  if (auto state = shake_hands(); state != rw_state::success || !shaken_)
    return state;
  if (size == 0)
    return rw_state::indeterminate;
  ERR_clear_error();
  const auto returned = move();
  return returned == 1 ? rw_state::success : outcome_of(returned, false);
}

tls_policy::rw_state tls_policy::read_some(std::size_t& result, native_socket, void* to, std::size_t size) {
  result = 0;
  return after_handshake(size, [&] { return SSL_read_ex(ssl_.get(), to, size, &result); });
}

tls_policy::rw_state tls_policy::write_some(std::size_t& result, native_socket, const void* from, std::size_t size) {
  result = 0;
  return after_handshake(size, [&] { return SSL_write_ex(ssl_.get(), from, size, &result); });
}

bool tls_policy::must_read_more(native_socket, std::size_t threshold) {
  return ssl_ && static_cast<std::size_t>(SSL_pending(ssl_.get())) >= threshold;
}

// -- what CAF holds --------------------------------------------------------------------------------------------------------

namespace {

class tls_scribe final : public caf::io::scribe {
public:
  /// `guests` is null for dialled connections.
  tls_scribe(network::default_multiplexer& loop, int fd, tls_session session, tls_policy::failure_listener on_failure,
             std::shared_ptr<visitors> guests, std::shared_ptr<channel_bindings> bindings)
    : scribe{network::conn_hdl_from_socket(fd)},
      border_{!guests, loop.system().node()},
      guests_{std::move(guests)},
      bindings_{std::move(bindings)},
      ssl_{session.get()},
      stream_{loop, fd, std::move(session), std::move(on_failure)} {
    if (guests_)
      ticket_ = guests_->enter(fd);
  }
  ~tls_scribe() override {
    if (greeted_)
      bindings_->remove(border_.peer(), this);
    if (guests_)
      guests_->leave(ticket_);
  }

  // CAF reads headers and payloads alternately.
  bool consume(caf::execution_unit* context, const void* from, std::size_t size) override {
    if (detached())
      return false;
    switch (border_.judge({static_cast<const std::byte*>(from), size})) {
    case basp_border::verdict::pass: greet(); return scribe::consume(context, from, size);
    case basp_border::verdict::drop:
      stream_.configure_read(caf::io::receive_policy::exactly(border_.next_size()));
      return true;
    case basp_border::verdict::close: break;
    }
    ::shutdown(stream_.fd(), SHUT_RDWR); // also drops data that waits to be written
    io_failure(context, network::operation::read);
    return false;
  }

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (std::exchange(launched_, true))
      return;
    stream_.start(this);
    // Starts the handshake, which has nothing to write yet.
    stream_.force_empty_write(this);
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  caf::byte_buffer& wr_buf() override { return stream_.wr_buf(); }
  caf::byte_buffer& rd_buf() override { return stream_.rd_buf(); }
  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  void flush() override { stream_.flush(this); }
  std::string addr() const override {
    auto found = network::remote_addr_of_fd(stream_.fd());
    return found ? *found : std::string{};
  }
  std::uint16_t port() const override {
    auto found = network::remote_port_of_fd(stream_.fd());
    return found ? *found : std::uint16_t{0};
  }
  void add_to_loop() override { stream_.activate(this); }
  // The stream keeps this object alive until the loop tells it that the socket is not read any more. CAF 0.18.7 drops an event of
  // the socket that the next one cancels in the same turn, and then tells nothing.
  void remove_from_loop() override {
    stream_.passivate();
    if ((stream_.eventbf() & network::input_mask) == 0)
      stream_.removed_from_loop(network::operation::read);
  }

private:
  void greet() {
    if (!border_.peer() || std::exchange(greeted_, true))
      return;
    bindings_->add(border_.peer(), this, channel_binding(ssl_));
    if (guests_)
      guests_->name(ticket_, border_.peer());
  }

  bool launched_ = false;
  bool greeted_ = false;
  basp_border border_;
  std::shared_ptr<visitors> guests_;
  visitors::ticket ticket_;
  std::shared_ptr<channel_bindings> bindings_;
  /// Owned by the stream, which lives as long as this object.
  SSL* ssl_;
  network::stream_impl<tls_policy> stream_;
};

/// Logs failed handshakes, rate-limited. Runs on the multiplexer's thread.
class stranger_log {
public:
  explicit stranger_log(protocol::logger log) : log_{std::move(log)} {}

  void complain(const std::string& address, const std::string& why) {
    if (const auto end = limit_.admit(std::chrono::steady_clock::now()))
      log_->warn("no native link from {}: {}{}", address, why, *end);
  }

private:
  protocol::logger log_;
  core::log_rate_limiter limit_;
};

class tls_doorman final : public network::doorman_impl {
public:
  tls_doorman(network::default_multiplexer& loop, int fd, std::function<tls_context()> context, std::shared_ptr<visitors> guests,
              std::shared_ptr<channel_bindings> bindings, protocol::logger log)
    : doorman_impl{loop, fd},
      context_{std::move(context)},
      guests_{std::move(guests)},
      bindings_{std::move(bindings)},
      log_{std::make_shared<stranger_log>(std::move(log))} {}

  bool new_connection() override {
    if (detached())
      return false;
    const int fd = acceptor_.accepted_socket();
    if (fd < 0)
      return true;
    network::nonblocking(fd, true);
    tune(fd);
    auto complain = [log = log_, peer = remote_address(fd)](const std::string& why, bool in_handshake) {
      if (in_handshake)
        log->complain(peer, why);
    };
    auto made = caf::make_counted<tls_scribe>(acceptor_.backend(), fd, await_hands(context_(), fd), std::move(complain), guests_,
                                              bindings_);
    const auto handle = made->hdl();
    parent()->add_scribe(std::move(made));
    return doorman::new_connection(&acceptor_.backend(), handle);
  }

  // Only detaches: CAF would stop listening on the socket, of which other doors have descriptors.
  void graceful_shutdown() override { detach(&acceptor_.backend(), false); }

private:
  std::function<tls_context()> context_;
  std::shared_ptr<visitors> guests_;
  std::shared_ptr<channel_bindings> bindings_;
  std::shared_ptr<stranger_log> log_;
};

} // namespace

caf::io::scribe_ptr make_scribe(network::default_multiplexer& loop, int fd, tls_session session,
                                std::shared_ptr<tls_trouble> trouble, std::shared_ptr<channel_bindings> bindings) {
  auto keep = [trouble = std::move(trouble)](std::string why, bool) { trouble->set(std::move(why)); };
  return caf::make_counted<tls_scribe>(loop, fd, std::move(session), std::move(keep), nullptr, std::move(bindings));
}

caf::io::doorman_ptr make_doorman(network::default_multiplexer& loop, int fd, std::function<tls_context()> context,
                                 std::shared_ptr<visitors> guests, std::shared_ptr<channel_bindings> bindings,
                                 protocol::logger log) {
  return caf::make_counted<tls_doorman>(loop, fd, std::move(context), std::move(guests), std::move(bindings), std::move(log));
}

} // namespace ringmaster::actors
