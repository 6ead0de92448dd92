#pragma once

// Native links on real sockets: CAF's BASP over TLS. Only this folder uses CAF's io module.

#include <memory>
#include <string>
#include <string_view>

#include <caf/all.hpp>

#include "actors/link/sockets.hpp"
#include "core/result.hpp"
#include "protocol/link_ports.hpp"
#include "protocol/logger.hpp"
#include "protocol/tls/tls_context.hpp"

namespace ringmaster::actors {

class channel_bindings;
class visitors;

/// PEM files. Both ends present a certificate and trust every certificate signed by this authority. It must sign nothing else,
/// because names are not compared.
struct link_files {
  std::string certificate;
  std::string key;
  std::string ca;
};

/// Configures an actor system for links; call before the system is created. Without it, the system has no link threads and
/// sockets.
void prepare_links(caf::actor_system_config& config);

/// Registers the type ids of CAF's io module. Call before the first actor_system with links. Idempotent.
void init_link_meta_objects();

class tls_ports final : public protocol::link_ports {
public:
  /// Reads the files. Errors: `invalid_argument` with the unusable file.
  [[nodiscard]] static core::result<std::shared_ptr<tls_ports>> make(link_files files);

  /// Reads the files again, for later links. Errors: as `make`; then the previous files stay in use.
  [[nodiscard]] core::result<void> reload();

  /// Sets the system, which must be prepared and must outlive every use.
  void attach(caf::actor_system& system) noexcept { system_ = &system; }

  /// Takes the address at which `publish` will listen: `host:port`, port 0 for a free one. Accepts no connections yet. Returns
  /// the actual address. Failed handshakes are logged to `log` as warnings. Errors: `unavailable`.
  [[nodiscard]] core::result<std::string> bind(const std::string& address, protocol::logger log);

  /// Checks that a node accepts links at `address` (`host:port`), and accepts this certificate. Needs no system; blocks at most
  /// for `limit` plus the name lookup. Errors: `unavailable` with the reason.
  [[nodiscard]] core::result<void> probe(const std::string& address, std::chrono::milliseconds limit) const;

  core::result<void> publish(const protocol::link_door& door) override;
  [[nodiscard]] std::string remote_of(const caf::node_id& peer) const override;
  [[nodiscard]] std::string seal(const caf::node_id& peer, std::string_view key, std::string_view text) const override;
  void admit(const caf::node_id& peer) override;
  void end_guests() override;
  void dial(const std::string& address, std::chrono::milliseconds limit, dialled done) override;

private:
  explicit tls_ports(link_files files);

  /// Shared with the acceptor. It always has a context: `make` has read the files.
  std::shared_ptr<protocol::tls_source> source_;
  caf::actor_system* system_ = nullptr;
  /// Listens as long as it lives. Each door has its own descriptor for the socket.
  socket_handle bound_;
  std::uint16_t port_ = 0;
  protocol::logger log_;
  bool published_ = false;
  /// Connections of all doors.
  std::shared_ptr<visitors> visitors_;
  /// Bindings of all connections, dialled and accepted.
  std::shared_ptr<channel_bindings> bindings_;
};

} // namespace ringmaster::actors
