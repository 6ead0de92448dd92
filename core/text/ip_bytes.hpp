#pragma once

// IP addresses as bytes in network order, and those that no call may reach: link-local addresses and the metadata services of
// clouds, which hand out credentials to every process of a machine.

#include <array>
#include <cstdint>
#include <optional>

namespace ringmaster::core {

using ip4_bytes = std::array<std::uint8_t, 4>;
using ip6_bytes = std::array<std::uint8_t, 16>;

/// Returns the IPv4 address that is reached through an IPv6 one: IPv4-mapped (`::ffff:0:0/96`), IPv4-compatible (`::/96` without
/// `::1`), NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`). Unset for all others.
[[nodiscard]] std::optional<ip4_bytes> inner_ip4(const ip6_bytes& ip) noexcept;

[[nodiscard]] bool is_link_local_or_metadata(const ip4_bytes& ip) noexcept;
/// Judges an address with an IPv4 address inside by the latter, too.
[[nodiscard]] bool is_link_local_or_metadata(const ip6_bytes& ip) noexcept;

} // namespace ringmaster::core
