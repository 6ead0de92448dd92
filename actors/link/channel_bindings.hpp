#pragma once

// Secrets known only to the two ends of a TLS connection (RFC 5705, RFC 9266). Free of CAF's io module.

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/node_id.hpp>
#include <openssl/ssl.h>

namespace ringmaster::actors {

/// Returns the channel binding of a connection after its handshake: 32 bytes, equal at both ends, different for each connection.
/// Empty when the connection has no trustworthy one: TLS 1.2 without an extended master secret.
[[nodiscard]] std::string channel_binding(SSL* session);

/// Returns HMAC-SHA256 of `binding` and `text`, with `key` as key.
[[nodiscard]] std::string sealed(std::string_view key, std::string_view binding, std::string_view text);

/// The channel bindings of the open connections, by the CAF node id of the process at the other end. Any thread.
class channel_bindings {
public:
  /// Adds a binding. `owner` distinguishes connections of one process.
  void add(const caf::node_id& peer, const void* owner, std::string binding);
  void remove(const caf::node_id& peer, const void* owner);
  /// Returns the binding of the oldest connection, the only one that CAF uses; empty when there is none.
  [[nodiscard]] std::string of(const caf::node_id& peer) const;

private:
  struct entry {
    const void* owner;
    std::string binding;
  };

  mutable std::mutex mutex_;
  std::unordered_map<caf::node_id, std::vector<entry>> by_peer_;
};

} // namespace ringmaster::actors
