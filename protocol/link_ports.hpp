#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

/// Network access of native links. Any thread.
class link_ports {
public:
  virtual ~link_ports() = default;

  /// Publishes the door for later connections. Nodes only. Errors: `unavailable`.
  virtual core::result<void> publish(const link_door& door) = 0;

  /// Returns the address of the other end of this process's connection, e.g. `10.0.0.5:41234`; empty when there is none. Nodes
  /// only.
  [[nodiscard]] virtual std::string remote_of(const caf::node_id& peer) const = 0;

  /// Returns HMAC-SHA256, with `key` as key, of `text` and of data that only the two ends of this process's connection know. An
  /// attacker between two connections has different seals on each. Empty when there is no such connection.
  [[nodiscard]] virtual std::string seal(const caf::node_id& peer, std::string_view key, std::string_view text) const = 0;

  /// Marks a connection as admitted after a hello, so that it may stay.
  virtual void admit(const caf::node_id& peer) = 0;

  /// Ends connections over which no hello was admitted in time.
  virtual void end_guests() = 0;

  using dialled = std::function<void(core::result<link_door>&&)>;
  /// Looks for the door of a node at `host:port`. `done` comes once, on another thread, after twice `limit` at the latest (plus
  /// the look-up of a name). Errors: `unavailable` with a reason for operators. A door may belong to a node that does not answer.
  virtual void dial(const std::string& address, std::chrono::milliseconds limit, dialled done) = 0;
};

} // namespace ringmaster::protocol
