#include "gateway/transport/server/client_shares.hpp"

#include "core/text/network_text.hpp"

namespace ringmaster::gateway::http {

std::optional<std::string> client_shares::take(const asio::ip::address& remote) {
  if (most_ == 0 || remote.is_loopback() || proxies_.allows(remote))
    return std::string{};
  auto key = core::client_network(remote.to_string());
  auto& open = open_[key];
  if (open >= most_)
    return std::nullopt;
  ++open;
  return key;
}

void client_shares::give_back(const std::string& key) {
  if (const auto found = open_.find(key); found != open_.end() && --found->second == 0)
    open_.erase(found);
}

} // namespace ringmaster::gateway::http
