#pragma once

#include <span>

#include "gateway/exchange/exchange.hpp"
#include "gateway/routes.hpp"

namespace ringmaster::gateway {

/// Actor that turns requests into messages to other actors, and their answers into replies. Its only state is the app names and
/// tokens of the groups, its rate limiters, and the tokens and executors that it admitted or refused lately; several of it may
/// serve one transport. A request waits for an actor at most `server.reply_timeout`; the number of waiting requests is bounded by
/// `server.connections_max`.
class gateway_actor_state {
public:
  static inline const char* name = "ringmaster.gateway_actor";

  gateway_actor_state(protocol::gateway_actor::pointer self, gateway_partners partners, const config::server_settings& server,
                      const config::security_settings& security, protocol::logger log,
                      const web_setup& web = {}, std::span<const route> table = routes());

  protocol::gateway_actor::behavior_type make_behavior();

private:
  void learn_groups(const protocol::registry_change& change);

  std::span<const route> table_;
  gateway_services services_;
  protocol::watcher watcher_;
};

/// Returns the function that the transport calls for each request; any thread.
[[nodiscard]] protocol::http_handler hand_over_to(protocol::gateway_actor gateway);

} // namespace ringmaster::gateway
