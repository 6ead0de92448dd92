#pragma once

// A running node: actor system, transport, actors, gateway. Started and stopped by one thread.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "actors/link/tls_ports.hpp"
#include "actors/logger.hpp"
#include "apps/server/declared_bodies.hpp"
#include "apps/server/node_bootstrap.hpp"
#include "core/editing/declared.hpp"
#include "gateway/notification/notification.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::apps {

class node {
public:
  /// Starts the node. Accepts connections last.
  [[nodiscard]] static core::result<std::unique_ptr<node>> start(node_bootstrap base);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Returns the actual address, `127.0.0.1:8080`.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Returns the actual address for native links; empty: none.
  [[nodiscard]] const std::string& link_address() const noexcept { return link_address_; }

  /// Applies declared jobs through job_admin, like every edit. Errors: also `protocol::is_clock_in_doubt`, until this node trusts
  /// its wall clock for the first time.
  [[nodiscard]] core::result<core::deploy_report> apply(core::declared_set declared, bool prune);

  /// Returns whether this node has ever trusted its wall clock.
  [[nodiscard]] bool trusts_clock() const { return !clock_.in_doubt(); }

  /// Blocks until the actors answer, at most `limit`. Returns whether they did.
  [[nodiscard]] bool answers(std::chrono::milliseconds limit);

  /// Reloads the TLS files, see transport::reload_tls. Logs warnings about them.
  [[nodiscard]] core::result<void> reload_tls();
  [[nodiscard]] bool uses_tls() const;

  /// Applies the settings that a reload may change: alarm channels, log level and common token. Blocks until messages that are
  /// being sent have ended.
  void reload(const assembled& fresh);

  /// Writes one row of the audit log for each setting that a reload applied, without values. Blocks for one transaction. Errors:
  /// of the database.
  [[nodiscard]] core::result<void> record_reload(const std::vector<std::string>& settings);

  /// Stops gracefully: fires the reserved instants (shared mode, up to 7 s), drains within `drain_timeout`, then ends everything.
  /// Idempotent. Calls `hurried` ten times a second; once true, it does not wait for reserved instants.
  void stop(const std::function<bool()>& hurried = [] { return false; });

private:
  explicit node(node_bootstrap base);
  void drain(const std::function<bool()>& hurried);
  /// Binds the address for native links, if one is configured.
  [[nodiscard]] core::result<void> open_links();
  void spawn();
  void show_build();
  void spawn_gateway(protocol::node_handles& handles);

  template <class Handle>
  void watch(const char* what, const Handle& handle);

  node_bootstrap base_;
  protocol::wall_clock clock_ = protocol::wall_clock::of_system();
  protocol::access_token_source token_;
  std::shared_ptr<gateway::channel_notifier> notifier_;
  std::shared_ptr<live_assembly> files_;
  /// Null: no checks.
  std::shared_ptr<doctor_thread> doctor_;
  std::shared_ptr<actors::tls_ports> links_;
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  protocol::supervisor supervisor_;
  protocol::gateway_actor gateway_;
  std::string address_;
  std::string link_address_;
  bool stopped_ = false;
};

} // namespace ringmaster::apps
