#pragma once

// How networks and the address to listen on are written. The grammar only: whether a host is an address, or known, is asked by
// whoever uses it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// `10.0.0.0/8`, `fc00::/7`. Views point into the text.
struct network_text {
  std::string_view address;
  /// From 0 to 32, for IPv6 to 128.
  std::uint8_t prefix = 0;
  bool v6 = false;
};

/// An address with the length of its prefix, or an address alone, which is a network of one. Nothing for another form.
[[nodiscard]] std::optional<network_text> split_network(std::string_view text) noexcept;

/// Whoever has this address has all of these: of IPv6 the network of 64 bits (`2001:db8:0:0::/64`), of an IPv4 address, also
/// inside an IPv6 one, the address. Text of another form is returned as it is.
[[nodiscard]] std::string client_network(std::string_view address);

/// `127.0.0.1:8080`, `[::1]:8080`. Views point into the text.
struct listen_text {
  /// Without brackets; not empty.
  std::string_view host;
  std::uint16_t port = 0;
  /// It stood in brackets: an IPv6 address.
  bool v6 = false;
};

/// A host and a port from 0 to 65535. Nothing for another form; a port alone is one: who wants all addresses says so.
[[nodiscard]] std::optional<listen_text> split_listen(std::string_view text) noexcept;

/// Returns true for the value of a `Host` header that names this machine alone: `localhost`, an address in 127.0.0.0/8, or
/// `[::1]`, each with or without a port.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

} // namespace ringmaster::core
