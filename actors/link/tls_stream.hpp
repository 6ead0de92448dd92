#pragma once

// A TLS connection below CAF's BASP, and the acceptor of such connections. HTTP has a stream of its own
// (gateway/transport/tls/tls_stream.hpp): there the owner of the socket waits, looks for bytes without reading them, and checks a
// gate right before a write.

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/result.hpp"
#include "protocol/logger.hpp"
#include "protocol/tls/tls_context.hpp"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <openssl/ssl.h>

namespace ringmaster::actors {

class channel_bindings;

using protocol::tls_context;
using tls_session = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// Returns the client session on a connected socket after its handshake; blocks until `until` at most. Errors: `unavailable` with
/// the reason.
[[nodiscard]] core::result<tls_session> shake_hands(const tls_context& context, int fd,
                                                    std::chrono::steady_clock::time_point until);
/// Returns the server session; its handshake is still to come. Null: out of memory.
[[nodiscard]] tls_session await_hands(const tls_context& context, int fd);

/// Connections opened by others. A connection is a guest until a hello that came over it was admitted. The oldest guests are
/// closed when there are too many, or when they take too long. Any thread.
class visitors {
public:
  static constexpr std::size_t guests_max = 256;
  static constexpr std::chrono::seconds age_max{5};

  struct entry {
    int fd = -1;
    std::chrono::steady_clock::time_point since;
    /// The node id from the peer's handshake; empty before that.
    caf::node_id node = {};
    bool is_guest = true;
  };
  using ticket = std::list<entry>::iterator;

  ticket enter(int fd);
  void leave(ticket which);
  /// Records the node id from the peer's handshake.
  void name(ticket which, const caf::node_id& node);
  /// Marks the connections of this process as admitted.
  void admit(const caf::node_id& node);
  /// Closes guests that have waited too long.
  void sweep();
  /// Returns the address of the other end, `10.0.0.5:41234`; empty when this process has no connection.
  [[nodiscard]] std::string remote_of(const caf::node_id& node) const;

private:
  void drop_guests(std::size_t count_max);

  mutable std::mutex mutex_;
  std::list<entry> guests_;
  std::list<entry> admitted_;
  std::unordered_multimap<caf::node_id, ticket> by_node_;
};

/// The reason why a connection ended, for the dialling side. Any thread.
class tls_trouble {
public:
  void set(std::string text);
  [[nodiscard]] std::string get() const;

private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// The policy for CAF's stream: reads and writes without blocking, the handshake first. Used only on the multiplexer's thread.
class tls_policy {
public:
  using native_socket = caf::io::network::native_socket;
  using rw_state = caf::io::network::rw_state;

  /// Called once when the connection fails. Not called for a peer that never sent a byte: a port check, or a silent peer that was
  /// cut off.
  using failure_listener = std::function<void(std::string why, bool in_handshake)>;

  /// `on_failure` may be empty.
  tls_policy(tls_session session, failure_listener on_failure);

  rw_state read_some(std::size_t& result, native_socket, void* to, std::size_t size);
  rw_state write_some(std::size_t& result, native_socket, const void* from, std::size_t size);
  bool must_read_more(native_socket, std::size_t threshold);

private:
  [[nodiscard]] rw_state shake_hands();
  [[nodiscard]] rw_state outcome_of(int returned, bool in_handshake);
  template <class Move>
  rw_state after_handshake(std::size_t size, Move&& move);

  tls_session ssl_;
  failure_listener on_failure_;
  bool shaken_ = false;
  bool signal_blocked_ = false;
};

/// Returns a BASP connection for a dialled session. It is in `bindings` after the peer's handshake.
[[nodiscard]] caf::io::scribe_ptr make_scribe(caf::io::network::default_multiplexer& loop, int fd, tls_session session,
                                              std::shared_ptr<tls_trouble> trouble, std::shared_ptr<channel_bindings> bindings);

/// Accepts connections on a listening socket, which it owns, and keeps them in `guests` and `bindings`. Calls `context` for each
/// connection. Logs failed handshakes to `log`, rate-limited.
[[nodiscard]] caf::io::doorman_ptr make_doorman(caf::io::network::default_multiplexer& loop, int fd,
                                                std::function<tls_context()> context, std::shared_ptr<visitors> guests,
                                                std::shared_ptr<channel_bindings> bindings, protocol::logger log);

} // namespace ringmaster::actors
