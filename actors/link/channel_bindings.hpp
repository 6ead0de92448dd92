#pragma once

// What only the two ends of a TLS connection know of it (RFC 5705, RFC 9266). No CAF's io.

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/node_id.hpp>
#include <openssl/ssl.h>

namespace ringmaster::actors {

/// Returns the channel binding of a connection whose handshake is done: 32 bytes, the same at both ends, another one on each
/// connection. Empty when this connection has none that can be trusted: TLS 1.2 without an extended master secret.
[[nodiscard]] std::string channel_binding(SSL* session);

/// Returns HMAC-SHA256 of `binding` and `text`, with `key` as key.
[[nodiscard]] std::string sealed(std::string_view key, std::string_view binding, std::string_view text);

/// The channel bindings of the connections that are open, by the process at the other end. Any thread.
class channel_bindings {
public:
  /// `owner` tells connections of one process apart.
  void add(const caf::node_id& peer, const void* owner, std::string binding);
  void remove(const caf::node_id& peer, const void* owner);
  /// Returns that of the oldest connection, for CAF speaks over that one alone; empty when there is none.
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
