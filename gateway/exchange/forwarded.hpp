#pragma once

// What proxies say of the client behind them, and who is believed (design §11). Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// `server.trusted_proxies`, read once. An entry that is no network matches nobody.
class proxy_list {
public:
  explicit proxy_list(const std::vector<std::string>& networks);

  [[nodiscard]] bool empty() const noexcept { return networks_.empty(); }
  /// `address` as `http_request::remote_address` has it.
  [[nodiscard]] bool trusts(std::string_view address) const;

private:
  struct network {
    /// An IPv4 one as IPv6 writes it: ::ffff:0:0/96 and longer.
    std::array<std::uint8_t, 16> address;
    unsigned prefix;
  };
  std::vector<network> networks_;
};

/// The address in one entry of X-Forwarded-For, as `http_request::remote_address` has it: with or without a port, IPv6 with or
/// without brackets. Nothing for what is none.
[[nodiscard]] std::optional<std::string> forwarded_address(std::string_view entry);

/// Makes of a request that a trusted proxy passed on the one that the client sent to it: the rightmost address of all
/// X-Forwarded-For headers that is no trusted proxy's becomes the peer; what stands left of something that is no address counts
/// for nothing. The last X-Forwarded-Proto and X-Forwarded-Host say how and where the client asked. A request of anybody else
/// stays as it is.
void apply_forwarded_headers(protocol::http_request& request, const proxy_list& proxies);

} // namespace ringmaster::gateway
