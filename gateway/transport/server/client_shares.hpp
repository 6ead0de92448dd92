#pragma once

// How many connections each client may have.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/transport/io/networks.hpp"

namespace ringmaster::gateway::http {

/// Counts the connections of each client address (`server.connections_per_client`); of IPv6 the network of 64 bits counts as one.
/// This machine and trusted proxies are not limited: many clients stand behind a proxy. Belongs to the io thread.
class client_shares {
public:
  /// `most` 0: no limit.
  client_shares(std::size_t most, const std::vector<std::string>& trusted_proxies) : most_{most}, proxies_{trusted_proxies} {}

  /// Counts a connection. Returns the key for `give_back`, empty for a client without a limit; nothing when the client has its
  /// share.
  [[nodiscard]] std::optional<std::string> take(const asio::ip::address& remote);
  void give_back(const std::string& key);

  [[nodiscard]] std::size_t clients() const noexcept { return open_.size(); }

private:
  const std::size_t most_;
  network_list proxies_;
  std::unordered_map<std::string, std::size_t> open_;
};

} // namespace ringmaster::gateway::http
