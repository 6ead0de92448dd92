#pragma once

// Blocking sockets for tests that must send exactly these bytes, or misbehave in exactly this way. Every wait has a deadline; a
// missed deadline throws, which fails the test.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ringmaster::test {

inline constexpr std::chrono::milliseconds socket_deadline{20000};

/// An address of the IPv4 or IPv6 loopback.
inline std::pair<sockaddr_storage, socklen_t> loopback(unsigned port, bool v6 = false) {
  sockaddr_storage storage{};
  if (v6) {
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    return {storage, sizeof(sockaddr_in6)};
  }
  auto& address = reinterpret_cast<sockaddr_in&>(storage);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return {storage, sizeof(sockaddr_in)};
}

/// One connection, closed by the destructor.
class raw_socket {
public:
  raw_socket() = default;
  explicit raw_socket(int fd) : fd_(fd) {}
  raw_socket(raw_socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), held_(std::move(other.held_)) {}
  raw_socket& operator=(raw_socket&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    held_ = std::move(other.held_);
    return *this;
  }
  ~raw_socket() { close(); }

  /// Connects to `127.0.0.1:PORT` or `[::1]:PORT`.
  static raw_socket connect(const std::string& address) {
    auto unconnected = open(address.starts_with('['));
    unconnected.connect_now(address);
    return unconnected;
  }
  static raw_socket open(bool v6 = false) { return raw_socket{::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}; }
  void connect_now(const std::string& address) {
    auto port = static_cast<unsigned>(std::stoul(address.substr(address.rfind(':') + 1)));
    auto [to, size] = loopback(port, address.starts_with('['));
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), size) != 0)
      throw std::runtime_error("connect " + address + ": " + std::strerror(errno));
    int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  [[nodiscard]] int fd() const noexcept { return fd_; }

  /// Returns false when the peer has closed the connection.
  bool try_send(std::string_view bytes) {
    while (!bytes.empty()) {
      wait(POLLOUT, socket_deadline, "write");
      auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
    return true;
  }
  void send(std::string_view bytes) {
    if (!try_send(bytes))
      throw std::runtime_error(std::string("send: ") + std::strerror(errno));
  }

  /// Reads up to and including `mark`.
  std::string read_until(std::string_view mark) {
    std::size_t at;
    while ((at = held_.find(mark)) == std::string::npos) {
      if (!read_some())
        throw std::runtime_error("closed; held: " + held_.substr(0, 200));
    }
    return take(at + mark.size());
  }
  std::string read(std::size_t n) {
    while (held_.size() < n) {
      if (!read_some())
        throw std::runtime_error("closed; held " + std::to_string(held_.size()) + " of " + std::to_string(n) + " bytes");
    }
    return take(n);
  }
  /// Reads everything until the peer closes or resets.
  std::string read_to_end() {
    while (read_some()) {
    }
    return take(held_.size());
  }
  /// Returns whether the peer closed or reset, after no more bytes.
  bool is_closed() { return held_.empty() && !read_some(); }
  /// Returns whether the peer closed without a reset, after no more bytes: it has read everything that was sent to it.
  bool is_ended() { return is_closed() && error_ == 0; }
  /// Returns whether nothing came, not even the end, for `time`.
  bool is_quiet_for(std::chrono::milliseconds time) {
    pollfd waiting{fd_, POLLIN, 0};
    return held_.empty() && ::poll(&waiting, 1, static_cast<int>(time.count())) == 0;
  }

  struct message {
    std::string first_line;
    /// With the first line and the blank one.
    std::string head;
    std::string body;
    [[nodiscard]] int status() const { return std::stoi(first_line.substr(first_line.find(' ') + 1)); }
  };
  /// Reads a request or reply with a Content-Length, in chunks, or without a body.
  message read_message() {
    message got;
    got.head = read_until("\r\n\r\n");
    got.first_line = got.head.substr(0, got.head.find("\r\n"));
    if (auto at = got.head.find("Content-Length: "); at != std::string::npos)
      got.body = read(std::stoul(got.head.substr(at + 16)));
    else if (got.head.find("Transfer-Encoding: chunked\r\n") != std::string::npos)
      got.body = read_chunks();
    return got;
  }

  void shutdown_write() { ::shutdown(fd_, SHUT_WR); }
  /// Closes with RST.
  void reset() {
    linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void close() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

private:
  std::string read_chunks() {
    std::string body;
    for (;;) {
      const auto bytes = std::stoul(read_until("\r\n"), nullptr, 16);
      body += read(bytes);
      if (read(2) != "\r\n")
        throw std::runtime_error("a chunk is longer than its size");
      if (bytes == 0)
        return body;
    }
  }
  bool read_some() {
    wait(POLLIN, socket_deadline, "read");
    char bytes[64 * 1024];
    auto n = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    error_ = n < 0 ? errno : 0;
    if (n > 0)
      held_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }
  void wait(short event, std::chrono::milliseconds time, const char* what) const {
    pollfd waiting{fd_, event, 0};
    if (::poll(&waiting, 1, static_cast<int>(time.count())) <= 0)
      throw std::runtime_error(std::string("nothing to ") + what + " in time; held: " + held_.substr(0, 200));
  }
  std::string take(std::size_t n) {
    auto taken = held_.substr(0, n);
    held_.erase(0, n);
    return taken;
  }

  int fd_ = -1;
  int error_ = 0;
  std::string held_;
};

/// Listens on a free port of the loopback.
class raw_listener {
public:
  explicit raw_listener(int backlog = 128, bool v6 = false) : socket_(raw_socket::open(v6)), v6_(v6) {
    auto [address, size] = loopback(0, v6);
    if (::bind(socket_.fd(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_.fd(), backlog) != 0)
      throw std::runtime_error(std::string("listen: ") + std::strerror(errno));
  }

  [[nodiscard]] unsigned port() const {
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&bound), &size);
    return ntohs(v6_ ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port : reinterpret_cast<sockaddr_in&>(bound).sin_port);
  }
  [[nodiscard]] std::string address() const { return (v6_ ? "[::1]:" : "127.0.0.1:") + std::to_string(port()); }
  [[nodiscard]] std::string origin() const { return "http://" + address(); }

  raw_socket accept() {
    pollfd waiting{socket_.fd(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(socket_deadline.count())) <= 0)
      throw std::runtime_error("no client connected in time");
    return raw_socket{::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
  }
  /// Returns whether no client connects for `time`.
  bool is_quiet_for(std::chrono::milliseconds time) {
    pollfd waiting{socket_.fd(), POLLIN, 0};
    return ::poll(&waiting, 1, static_cast<int>(time.count())) == 0;
  }
  void close() { socket_.close(); }

private:
  raw_socket socket_;
  bool v6_;
};

} // namespace ringmaster::test
