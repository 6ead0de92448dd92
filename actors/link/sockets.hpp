#pragma once

// TCP sockets of links. No CAF, no TLS.

#include <chrono>
#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace ringmaster::actors {

/// Owns a socket.
class socket_handle {
public:
  socket_handle() = default;
  explicit socket_handle(int fd) noexcept : fd_{fd} {}
  socket_handle(socket_handle&& other) noexcept : fd_{other.release()} {}
  socket_handle& operator=(socket_handle&& other) noexcept;
  ~socket_handle();

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept;
  explicit operator bool() const noexcept { return fd_ >= 0; }

private:
  int fd_ = -1;
};

/// Listens at `host:port`. Errors: `unavailable`.
[[nodiscard]] core::result<socket_handle> listen_at(const std::string& address);

/// A connection to `host:port`, not blocking any more. Blocks for `limit` at most, and for the look-up of a name.
/// Errors: `unavailable`.
[[nodiscard]] core::result<socket_handle> connect_to(const std::string& address, std::chrono::milliseconds limit);

/// What a connection of a link needs: nothing waits for more to come, and a peer that does not take what is sent to it for ten
/// seconds is gone. CAF keeps a socket until all is written, and its system does not end before that.
void tune(int fd) noexcept;

/// Blocks until the socket has one of these events (of poll), or an error. False: not in time.
[[nodiscard]] bool await(int fd, short events, std::chrono::steady_clock::time_point until) noexcept;

/// `127.0.0.1:9000`, `[::1]:9000`.
[[nodiscard]] std::string local_address(const socket_handle& socket);
/// The same of the other end; empty when it is gone.
[[nodiscard]] std::string remote_address(int fd);
[[nodiscard]] std::uint16_t local_port(const socket_handle& socket);
/// The port in `host:port`; 0: none.
[[nodiscard]] std::uint16_t port_of(const std::string& address) noexcept;

} // namespace ringmaster::actors
