#include "gateway/gateway_actor.hpp"

#include <algorithm>
#include <utility>

#include "gateway/exchange/paths.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::gateway {

gateway_actor_state::gateway_actor_state(protocol::gateway_actor::pointer self, gateway_partners partners,
                                         const config::server_settings& server, const config::security_settings& security,
                                         protocol::logger log, const web_setup& web, std::span<const route> table)
  : table_{table},
    services_{self,
              std::move(partners),
              plain_path("/" + server.context_path),
              web.token.value_or(security.access_token),
              security.trust_loopback,
              config::ask_limit(server),
              std::move(log),
              http_metrics{self->system()},
              std::nullopt,
              true,
              web_rules{web, server, security},
              proxy_list{server.trusted_proxies},
              [clock = protocol::wall_clock::of_system(), self] { return clock.at(self->clock().now()); },
              user_rate_limiter{web.settings.requests_per_second},
              judge_addresses_by(security)} {
  watcher_.watch(self, services_.partners.registry, [this](const caf::error&) { services_.registry_lives = false; });
}

protocol::gateway_actor::behavior_type gateway_actor_state::make_behavior() {
  return {
    [this](protocol::http_exchange& message) { dispatch(services_, table_, std::move(message)); },
    [this](const protocol::registry_change& change) { learn_groups(change); },
  };
}

void gateway_actor_state::learn_groups(const protocol::registry_change& change) {
  token_book book;
  std::unordered_map<std::string, std::vector<core::group_id>> by_app_name;
  for (const auto& [id, group] : change.view->groups) {
    auto& tokens = book[group.app_name];
    by_app_name[group.app_name].push_back(group.id);
    // Two groups may have the same app name; the group with a token takes precedence.
    if (tokens.current.empty())
      tokens = {group.id, group.access_token, group.previous_token, group.previous_until};
  }
  for (auto& [app_name, groups] : by_app_name) {
    std::sort(groups.begin(), groups.end());
    book[app_name].groups = std::make_shared<const std::vector<core::group_id>>(std::move(groups));
  }
  services_.tokens = std::move(book);
}

protocol::http_handler hand_over_to(protocol::gateway_actor gateway) {
  return [gateway = std::move(gateway)](protocol::http_request&& request, protocol::http_reply_ptr reply) {
    protocol::anon_send(gateway, protocol::http_exchange{std::move(request), std::move(reply)});
  };
}

} // namespace ringmaster::gateway
