#pragma once

// Registered addresses as places: two spellings of one place are equal.

#include <string>
#include <string_view>

namespace ringmaster::protocol {

/// Returns the place that an address names: host, port and path. Letters count without case; a last slash, repeated slashes and
/// the scheme's own port do not count, nor does the scheme. Numeric hosts are compared as numbers: IPv4 in every form that the
/// resolver reads, IPv4 within IPv6, and all loopback and unspecified addresses as one. Other names are not resolved.
[[nodiscard]] std::string address_key(std::string_view address);

/// Returns the host of an address in the form that `address_key` uses; empty when there is none.
[[nodiscard]] std::string host_key(std::string_view address);

/// Returns why an address has parts that `address_key` cannot compare soundly; empty when it has none. A path of plain letters
/// passes; dot segments, escapes, a query and credentials do not, because servers read them in different ways.
[[nodiscard]] std::string_view incomparable_part(std::string_view address) noexcept;

} // namespace ringmaster::protocol
