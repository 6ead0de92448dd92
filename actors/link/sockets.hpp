#pragma once

// TCP sockets of links. Free of CAF and TLS.

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

/// Returns a non-blocking connection to `host:port`. Blocks at most for `limit` plus the name lookup.
/// Errors: `unavailable`.
[[nodiscard]] core::result<socket_handle> connect_to(const std::string& address, std::chrono::milliseconds limit);

/// Sets the options of a link connection: no delay for small packets, and a timeout of ten seconds for a peer that does not read.
/// CAF keeps a socket until all data is written, and its system does not end before that.
void tune(int fd) noexcept;

/// Blocks until the socket has one of these poll events, or an error. Returns false on a timeout.
[[nodiscard]] bool await(int fd, short events, std::chrono::steady_clock::time_point until) noexcept;

/// Returns the local address, e.g. `127.0.0.1:9000` or `[::1]:9000`.
[[nodiscard]] std::string local_address(const socket_handle& socket);
/// Returns the address of the other end; empty when it is gone.
[[nodiscard]] std::string remote_address(int fd);
[[nodiscard]] std::uint16_t local_port(const socket_handle& socket);
/// Returns the port in `host:port`; 0: none.
[[nodiscard]] std::uint16_t port_of(const std::string& address) noexcept;

} // namespace ringmaster::actors
