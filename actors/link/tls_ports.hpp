#pragma once

// Native links on real sockets: CAF's BASP over TLS. All that Ringmaster knows of CAF's io module is in this folder.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <caf/all.hpp>

#include "actors/link/sockets.hpp"
#include "core/result.hpp"
#include "protocol/link_ports.hpp"
#include "protocol/logger.hpp"

struct ssl_ctx_st;

namespace ringmaster::actors {

class channel_bindings;
class visitors;

/// PEM files. Both ends show a certificate, and believe whom this authority has signed: one that signs nothing else, for names
/// are not compared.
struct link_files {
  std::string certificate;
  std::string key;
  std::string ca;
};

/// Makes a system able to link; before it is made. Without this no thread and no socket of links exists.
void prepare_links(caf::actor_system_config& config);

/// Registers the type ids of CAF's io module. Before the first actor_system that links. Idempotent.
void init_link_meta_objects();

class tls_ports final : public protocol::link_ports {
public:
  /// Reads the files. Errors: `invalid_argument` with the file that cannot be used.
  [[nodiscard]] static core::result<std::shared_ptr<tls_ports>> make(link_files files);

  /// Reads the files again, for links from then on. Errors: as `make`; then the former ones stay.
  [[nodiscard]] core::result<void> reload();

  /// The system must be prepared, and outlive every use.
  void attach(caf::actor_system& system) noexcept { system_ = &system; }

  /// Where `publish` will listen: `host:port`, port 0 for a free one. Takes the address at once, but serves nobody yet. Returns
  /// what it took. Who cannot shake hands there is warned of in `log`. Errors: `unavailable`.
  [[nodiscard]] core::result<std::string> bind(const std::string& address, protocol::logger log);

  /// Whether a node takes links at `address` (`host:port`), and takes this certificate. Needs no system; blocks for `limit` at
  /// most, and for the look-up of a name. Errors: `unavailable` with the reason.
  [[nodiscard]] core::result<void> probe(const std::string& address, std::chrono::milliseconds limit) const;

  core::result<void> publish(const protocol::link_door& door) override;
  [[nodiscard]] std::string remote_of(const caf::node_id& peer) const override;
  [[nodiscard]] std::string seal(const caf::node_id& peer, std::string_view key, std::string_view text) const override;
  void admit(const caf::node_id& peer) override;
  void end_guests() override;
  void dial(const std::string& address, std::chrono::milliseconds limit, dialled done) override;

private:
  using context_ptr = std::shared_ptr<ssl_ctx_st>;

  explicit tls_ports(link_files files);
  [[nodiscard]] core::result<context_ptr> load() const;

  link_files files_;
  /// Shared with what accepts.
  struct shared_context {
    std::mutex mutex;
    context_ptr now;
    [[nodiscard]] context_ptr get() {
      std::lock_guard guard{mutex};
      return now;
    }
  };
  std::shared_ptr<shared_context> context_ = std::make_shared<shared_context>();
  caf::actor_system* system_ = nullptr;
  /// Listens as long as this lives. Each door has a descriptor of its own for it.
  socket_handle bound_;
  std::uint16_t port_ = 0;
  protocol::logger log_;
  bool published_ = false;
  /// Of all doors.
  std::shared_ptr<visitors> visitors_;
  /// Of all connections, dialled and accepted.
  std::shared_ptr<channel_bindings> bindings_;
};

} // namespace ringmaster::actors
