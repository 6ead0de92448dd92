#pragma once

// Limit on the connections of each client.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/transport/io/networks.hpp"

namespace ringmaster::gateway::http {

/// Counter of connections by client address (`server.connections_per_client`); an IPv6 network of 64 bits counts as one. This
/// machine and trusted proxies are not limited: a proxy connects for many clients. Belongs to the io thread.
class client_shares {
public:
  /// `most` 0: no limit.
  client_shares(std::size_t most, const std::vector<std::string>& trusted_proxies) : most_{most}, proxies_{trusted_proxies} {}

  /// Counts a connection. Returns the key for `give_back`, empty for a client without a limit; nothing when the client has
  /// reached its limit.
  [[nodiscard]] std::optional<std::string> take(const asio::ip::address& remote);
  void give_back(const std::string& key);

  [[nodiscard]] std::size_t clients() const noexcept { return open_.size(); }

private:
  const std::size_t most_;
  network_list proxies_;
  std::unordered_map<std::string, std::size_t> open_;
};

} // namespace ringmaster::gateway::http
