#pragma once

// Limit on the connections of each client.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/network_text.hpp"
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
  [[nodiscard]] std::optional<std::string> take(const asio::ip::address& remote) {
    if (most_ == 0 || remote.is_loopback() || proxies_.allows(remote))
      return std::string{};
    auto key = core::client_network(remote.to_string());
    auto& open = open_[key];
    if (open >= most_)
      return std::nullopt;
    ++open;
    return key;
  }
  void give_back(const std::string& key) {
    if (const auto found = open_.find(key); found != open_.end() && --found->second == 0)
      open_.erase(found);
  }

  [[nodiscard]] std::size_t clients() const noexcept { return open_.size(); }

private:
  const std::size_t most_;
  network_list proxies_;
  std::unordered_map<std::string, std::size_t> open_;
};

} // namespace ringmaster::gateway::http
