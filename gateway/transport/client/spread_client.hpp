#pragma once

// Client made of several clients, each with its own io thread: the runs of one instant leave on more than one core.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Assignment of origins to clients. One origin has one client, so that its limit of connections holds; a new origin goes to the
/// client that has the fewest. Any thread.
class origin_homes {
public:
  explicit origin_homes(std::size_t clients) : origins_(clients, 0) {}

  [[nodiscard]] std::size_t of(const std::string& origin);
  /// Removes an origin that `client` no longer knows. A call that is on its way to it meanwhile is still made.
  void forget(std::size_t client, const std::string& origin);

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> homes_;
  /// Number of origins by client.
  std::vector<std::size_t> origins_;
};

/// HTTP client that distributes calls. `done` comes on the io thread of the call's origin: calls of several origins may end at
/// the same time.
class spread_client final : public protocol::http_client {
public:
  /// Requires at least one client.
  spread_client(std::vector<std::shared_ptr<protocol::http_client>> clients, std::shared_ptr<origin_homes> homes);

  void post(std::vector<protocol::http_call>&& calls, completion done) override;

private:
  void split(std::vector<protocol::http_call>&& calls, completion done);

  std::vector<std::shared_ptr<protocol::http_client>> clients_;
  std::shared_ptr<origin_homes> homes_;
};

} // namespace ringmaster::gateway::http
