#pragma once

// Headers of trusted proxies about the client that they pass on (design §11). Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Networks of `server.trusted_proxies`, read once. An invalid entry matches no address.
class proxy_list {
public:
  explicit proxy_list(const std::vector<std::string>& networks);

  [[nodiscard]] bool empty() const noexcept { return networks_.empty(); }
  /// Returns true for an address of a trusted proxy, written as in `http_request::remote_address`.
  [[nodiscard]] bool trusts(std::string_view address) const;

private:
  struct network {
    /// IPv4 networks are stored as IPv6: ::ffff:0:0/96 and longer.
    std::array<std::uint8_t, 16> address;
    unsigned prefix;
  };
  std::vector<network> networks_;
};

/// Returns the address in one entry of X-Forwarded-For, written as in `http_request::remote_address`. The entry may have a port,
/// and IPv6 addresses may have brackets. Nothing for an invalid entry.
[[nodiscard]] std::optional<std::string> forwarded_address(std::string_view entry);

/// Replaces the peer of a request that a trusted proxy passed on with the client. The client is the rightmost address of all
/// X-Forwarded-For headers that does not belong to a trusted proxy; entries to the left of an invalid entry are ignored. The last
/// X-Forwarded-Proto and X-Forwarded-Host give the scheme and host of the client's request. A request from another peer stays
/// unchanged.
void apply_forwarded_headers(protocol::http_request& request, const proxy_list& proxies);

} // namespace ringmaster::gateway
