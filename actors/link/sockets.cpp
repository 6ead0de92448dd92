#include "actors/link/sockets.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "core/text/url_text.hpp"

namespace ringmaster::actors {

namespace {

using addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

core::result<addresses> look_up(const std::string& address, int flags) {
  const auto place = core::split_host_port(address);
  const std::string host{place.host}, port{place.port.value_or("")};
  if (host.empty() || port.empty() || (place.in_brackets && !place.is_plain))
    return core::fail(core::errc::unavailable, address + " is not host:port");
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const auto failure = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); failure != 0)
    return core::fail(core::errc::unavailable, address + ": " + gai_strerror(failure));
  return addresses{found, &freeaddrinfo};
}

std::string in_words(int code) { return std::generic_category().message(code); }

socket_handle open(const addrinfo& at) {
  return socket_handle{::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol)};
}

void set(int fd, int level, int option, int to = 1) { ::setsockopt(fd, level, option, &to, sizeof to); }

constexpr int unread_max_ms = 10'000;

/// Waits for the connection. Returns 0 when connected, else the errno.
int await_connection(const socket_handle& socket, std::chrono::steady_clock::time_point until) {
  if (!await(socket.get(), POLLOUT, until))
    return ETIMEDOUT;
  int failure = 0;
  socklen_t size = sizeof failure;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
  return failure;
}

std::string text_of(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV)
      != 0)
    return {};
  const bool six = address.ss_family == AF_INET6;
  return (six ? "[" + std::string{host} + "]" : std::string{host}) + ":" + port;
}

} // namespace

socket_handle& socket_handle::operator=(socket_handle&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

socket_handle::~socket_handle() {
  if (fd_ >= 0)
    ::close(fd_);
}

int socket_handle::release() noexcept { return std::exchange(fd_, -1); }

core::result<socket_handle> listen_at(const std::string& address) {
  auto found = look_up(address, AI_PASSIVE);
  if (!found)
    return tl::unexpected<core::error>{found.error()};
  int failure = 0;
  for (const auto* at = found->get(); at; at = at->ai_next) {
    auto socket = open(*at);
    if (socket) {
      set(socket.get(), SOL_SOCKET, SO_REUSEADDR);
      if (::bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket.get(), 128) == 0)
        return socket;
    }
    failure = errno;
  }
  return core::fail(core::errc::unavailable, "cannot listen at " + address + ": " + in_words(failure));
}

core::result<socket_handle> connect_to(const std::string& address, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  auto found = look_up(address, 0);
  if (!found)
    return tl::unexpected<core::error>{found.error()};
  int failure = 0;
  int addresses_left = 0;
  for (const auto* at = found->get(); at; at = at->ai_next)
    ++addresses_left;
  for (const auto* at = found->get(); at; at = at->ai_next) {
    // Limits each address, so that an unresponsive one leaves time for the others.
    const auto now = std::chrono::steady_clock::now();
    const auto share = now + (until - now) / addresses_left--;
    auto socket = open(*at);
    if (!socket) {
      failure = errno;
      continue;
    }
    if (::connect(socket.get(), at->ai_addr, at->ai_addrlen) != 0 && errno != EINPROGRESS)
      failure = errno;
    else
      failure = await_connection(socket, share);
    if (failure == 0) {
      tune(socket.get());
      return socket;
    }
  }
  return core::fail(core::errc::unavailable, "no connection to " + address + ": " + in_words(failure));
}

bool await(int fd, short events, std::chrono::steady_clock::time_point until) noexcept {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd wait{fd, events, 0};
    const auto ready = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

void tune(int fd) noexcept {
  set(fd, IPPROTO_TCP, TCP_NODELAY);
  set(fd, SOL_SOCKET, SO_KEEPALIVE);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, unread_max_ms);
}

std::string local_address(const socket_handle& socket) {
  sockaddr_storage room{};
  socklen_t size = sizeof room;
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&room), &size) == 0 ? text_of(room, size) : std::string{};
}

std::string remote_address(int fd) {
  sockaddr_storage room{};
  socklen_t size = sizeof room;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&room), &size) == 0 ? text_of(room, size) : std::string{};
}

std::uint16_t local_port(const socket_handle& socket) { return port_of(local_address(socket)); }

std::uint16_t port_of(const std::string& address) noexcept {
  const auto digits = core::split_host_port(address).port.value_or("");
  std::uint16_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

} // namespace ringmaster::actors
