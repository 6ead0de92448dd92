#pragma once

// Comparison of registered addresses as places: two spellings of one place are equal.

#include <string>
#include <string_view>

namespace ringmaster::protocol {

/// Returns the place that an address names: host, port and path. Ignores the case of letters, a trailing slash, repeated slashes,
/// the scheme, and the scheme's default port. Compares numeric hosts as numbers: IPv4 in every form that the resolver reads, IPv4
/// within IPv6, and all loopback and unspecified addresses as one. Does not resolve other names.
[[nodiscard]] std::string address_key(std::string_view address);

/// Returns the host of an address in the form that `address_key` uses; empty when there is none.
[[nodiscard]] std::string host_key(std::string_view address);

/// Returns the part of an address that `address_key` cannot compare soundly; empty when there is none. A path of plain letters
/// passes. Dot segments, escapes, a query and credentials do not, because servers read them in different ways.
[[nodiscard]] std::string_view incomparable_part(std::string_view address) noexcept;

} // namespace ringmaster::protocol
