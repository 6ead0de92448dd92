#pragma once

// Text forms of networks and of the listen address. Grammar only: the callers check whether a host is an address and whether it
// exists. Parts are views into the text, so a temporary string does not compile.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// A network such as `10.0.0.0/8` or `fc00::/7`. Views point into the text.
struct network_text {
  std::string_view address;
  /// From 0 to 32; for IPv6 to 128.
  std::uint8_t prefix = 0;
  bool v6 = false;
};

/// Parses an address with the length of its prefix, or a single address, which is a network of one. Unset for any other form.
[[nodiscard]] std::optional<network_text> split_network(std::string_view text) noexcept;
template <std::same_as<std::string> Temporary>
std::optional<network_text> split_network(Temporary&&) = delete;

/// Returns the network that belongs to one client: for IPv6 the /64 network (`2001:db8:0:0::/64`), for an IPv4 address, also
/// inside an IPv6 one, the address. Text of another form is returned unchanged.
[[nodiscard]] std::string client_network(std::string_view address);

/// A listen address such as `127.0.0.1:8080` or `[::1]:8080`. Views point into the text.
struct listen_text {
  /// Without brackets; not empty.
  std::string_view host;
  std::uint16_t port = 0;
  /// The host was in brackets: an IPv6 address.
  bool v6 = false;
};

/// Parses a host and a port from 0 to 65535. Unset for any other form, including a port alone: all addresses must be requested
/// explicitly.
[[nodiscard]] std::optional<listen_text> split_listen(std::string_view text) noexcept;
template <std::same_as<std::string> Temporary>
std::optional<listen_text> split_listen(Temporary&&) = delete;

/// Returns true for the value of a `Host` header that names only this machine: `localhost`, an address in 127.0.0.0/8, or
/// `[::1]`, each with or without a port.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

} // namespace ringmaster::core
