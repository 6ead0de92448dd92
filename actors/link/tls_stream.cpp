#include "actors/link/tls_stream.hpp"

#include <csignal>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <caf/io/network/stream_impl.hpp>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

namespace ringmaster::actors {

namespace network = caf::io::network;

// -- handshakes ------------------------------------------------------------------------------------------------------------

handshakes::ticket handshakes::enter(int fd) {
  std::lock_guard guard{mutex_};
  const auto now = std::chrono::steady_clock::now();
  std::size_t left = open_.size();
  for (const auto& each : open_) { // its end takes it from here
    if (left < count_max && now - each.since < age_max)
      break;
    ::shutdown(each.fd, SHUT_RDWR);
    --left;
  }
  return open_.insert(open_.end(), entry{fd, now});
}

void handshakes::leave(ticket which) {
  std::lock_guard guard{mutex_};
  open_.erase(which);
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

tls_policy::tls_policy(tls_context context, int fd, side which, std::shared_ptr<tls_trouble> trouble,
                       std::shared_ptr<handshakes> guests)
  : context_{std::move(context)},
    ssl_{SSL_new(context_.get()), &SSL_free},
    trouble_{std::move(trouble)},
    guests_{std::move(guests)} {
  if (guests_)
    ticket_ = guests_->enter(fd);
  if (!ssl_ || SSL_set_fd(ssl_.get(), fd) != 1) {
    ssl_.reset(); // no memory: the first read ends it
    return;
  }
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (which == side::dials)
    SSL_set_connect_state(ssl_.get());
  else
    SSL_set_accept_state(ssl_.get());
}

tls_policy::~tls_policy() { end_handshake(); }

void tls_policy::end_handshake() {
  if (auto guests = std::exchange(guests_, nullptr))
    guests->leave(ticket_);
}

tls_policy::rw_state tls_policy::outcome_of(int returned, bool in_handshake) {
  switch (SSL_get_error(ssl_.get(), returned)) {
  case SSL_ERROR_WANT_READ: return in_handshake ? rw_state::want_read : rw_state::success;
  case SSL_ERROR_WANT_WRITE: return rw_state::success;
  default: break;
  }
  if (trouble_) {
    const auto verified = SSL_get_verify_result(ssl_.get());
    char text[256] = "the connection was closed";
    if (const auto code = ERR_peek_last_error(); code != 0)
      ERR_error_string_n(code, text, sizeof text);
    trouble_->set(verified == X509_V_OK ? text : X509_verify_cert_error_string(verified));
  }
  ERR_clear_error();
  return rw_state::failure;
}

tls_policy::rw_state tls_policy::shake_hands() {
  if (!ssl_)
    return rw_state::failure;
  // OpenSSL writes to sockets whose other end may be closed. This thread is CAF's, and lives as long as the system.
  if (!std::exchange(signal_blocked_, true)) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  }
  if (shaken_)
    return rw_state::success;
  ERR_clear_error();
  const auto returned = SSL_do_handshake(ssl_.get());
  if (returned != 1)
    return outcome_of(returned, true);
  shaken_ = true;
  end_handshake();
  return rw_state::success;
}

tls_policy::rw_state tls_policy::read_some(std::size_t& result, native_socket, void* to, std::size_t size) {
  result = 0;
  if (auto state = shake_hands(); state != rw_state::success || !shaken_)
    return state;
  if (size == 0)
    return rw_state::indeterminate;
  ERR_clear_error();
  const auto returned = SSL_read_ex(ssl_.get(), to, size, &result);
  return returned == 1 ? rw_state::success : outcome_of(returned, false);
}

tls_policy::rw_state tls_policy::write_some(std::size_t& result, native_socket, const void* from, std::size_t size) {
  result = 0;
  if (auto state = shake_hands(); state != rw_state::success || !shaken_)
    return state;
  if (size == 0)
    return rw_state::indeterminate;
  ERR_clear_error();
  const auto returned = SSL_write_ex(ssl_.get(), from, size, &result);
  return returned == 1 ? rw_state::success : outcome_of(returned, false);
}

bool tls_policy::must_read_more(native_socket, std::size_t threshold) {
  return ssl_ && static_cast<std::size_t>(SSL_pending(ssl_.get())) >= threshold;
}

// -- what CAF holds --------------------------------------------------------------------------------------------------------

namespace {

class tls_scribe final : public caf::io::scribe {
public:
  template <class... Ts>
  tls_scribe(network::default_multiplexer& loop, int fd, Ts&&... policy)
    : scribe{network::conn_hdl_from_socket(fd)}, stream_{loop, fd, std::forward<Ts>(policy)...} {}

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (std::exchange(launched_, true))
      return;
    stream_.start(this);
    // The handshake begins without anything to write.
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
  void remove_from_loop() override { stream_.passivate(); }

private:
  bool launched_ = false;
  network::stream_impl<tls_policy> stream_;
};

class tls_doorman final : public network::doorman_impl {
public:
  tls_doorman(network::default_multiplexer& loop, int fd, std::function<tls_context()> context)
    : doorman_impl{loop, fd}, context_{std::move(context)} {}

  bool new_connection() override {
    if (detached())
      return false;
    const int fd = acceptor_.accepted_socket();
    if (fd < 0)
      return true;
    network::nonblocking(fd, true);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    auto made = make_scribe(acceptor_.backend(), fd, context_(), tls_policy::side::accepts, nullptr, guests_);
    const auto handle = made->hdl();
    parent()->add_scribe(std::move(made));
    return doorman::new_connection(&acceptor_.backend(), handle);
  }

private:
  std::function<tls_context()> context_;
  std::shared_ptr<handshakes> guests_ = std::make_shared<handshakes>();
};

} // namespace

caf::io::scribe_ptr make_scribe(network::default_multiplexer& loop, int fd, tls_context context, tls_policy::side which,
                                std::shared_ptr<tls_trouble> trouble, std::shared_ptr<handshakes> guests) {
  return caf::make_counted<tls_scribe>(loop, fd, std::move(context), fd, which, std::move(trouble), std::move(guests));
}

caf::io::doorman_ptr make_doorman(network::default_multiplexer& loop, int fd, std::function<tls_context()> context) {
  return caf::make_counted<tls_doorman>(loop, fd, std::move(context));
}

} // namespace ringmaster::actors
