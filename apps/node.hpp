#pragma once

// A running node: actor system, transport, actors, gateway. Started and stopped by one thread.

#include <memory>
#include <string>

#include <caf/all.hpp>

#include "actors/logger.hpp"
#include "apps/assembly.hpp"
#include "core/declared.hpp"
#include "gateway/transport.hpp"
#include "protocol/messages.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

class node {
public:
  /// Opens intake last: `listen` errors end the start with nothing begun. `database` must have its schema. `settings` carries the
  /// access token in force.
  [[nodiscard]] static core::result<std::unique_ptr<node>> start(const assembled& what,
                                                                 std::shared_ptr<storage::database> database, std::string node_id,
                                                                 actors::logger log);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// What it really listens on, `127.0.0.1:8080`.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Applies declared jobs through job_admin, as every edit goes.
  [[nodiscard]] core::result<core::deploy_report> apply(core::declared_set declared, bool prune);

  /// Graceful: drains within `drain_timeout`, then ends everything. Idempotent.
  void stop();

private:
  class actor_config;
  node(const assembled& what, actors::logger log);
  void spawn(const assembled& what, std::shared_ptr<storage::database> database, std::string node_id);

  actors::logger log_;
  std::chrono::milliseconds drain_timeout_;
  std::unique_ptr<gateway::transport> transport_;
  std::unique_ptr<actor_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  protocol::supervisor supervisor_;
  protocol::gateway_actor gateway_;
  std::string address_;
  bool stopped_ = false;
};

} // namespace ringmaster::apps
