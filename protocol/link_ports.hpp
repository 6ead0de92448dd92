#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "protocol/link_interfaces.hpp"

namespace ringmaster::protocol {

/// The way of native links to the network. Any thread.
class link_ports {
public:
  virtual ~link_ports() = default;

  /// Who connects from now on finds this door. A node's only. Errors: `unavailable`.
  virtual core::result<void> publish(const link_door& door) = 0;

  /// Returns the address of the other end of this process's connection, `10.0.0.5:41234`; empty when there is none. A
  /// node's only.
  [[nodiscard]] virtual std::string remote_of(const caf::node_id& peer) const = 0;

  /// Returns HMAC-SHA256, with `key` as key, of `text` and of what only the two ends of this process's connection know of it:
  /// whoever stands between two connections has other seals on each. Empty when there is no such connection.
  [[nodiscard]] virtual std::string seal(const caf::node_id& peer, std::string_view key, std::string_view text) const = 0;

  /// A hello of this process was admitted: its connection may stay.
  virtual void admit(const caf::node_id& peer) = 0;

  /// Ends connections over which no hello was admitted in time.
  virtual void end_guests() = 0;

  using dialled = std::function<void(core::result<link_door>&&)>;
  /// Looks for the door of a node at `host:port`; `done` comes once, on another thread, after twice `limit` at the latest (and
  /// the look-up of a name). Errors: `unavailable` with the reason for a person. A door may be of a node that does not answer.
  virtual void dial(const std::string& address, std::chrono::milliseconds limit, dialled done) = 0;
};

} // namespace ringmaster::protocol
