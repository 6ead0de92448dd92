#include "apps/node.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>

#include "actors/admin/supervisor.hpp"
#include "apps/commands.hpp"
#include "apps/secrets.hpp"
#include "gateway/gateway_actor.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

/// CAF's own defaults starve, spin and read files; these do not.
class node::actor_config : public caf::actor_system_config {
public:
  actor_config() {
    set("caf.scheduler.policy", "sharing");
    set("caf.scheduler.max-threads", std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8));
    set("caf.scheduler.max-throughput", std::size_t{100});
  }
};

node::node(const assembled& what, actors::logger log)
  : log_{std::move(log)},
    drain_timeout_{what.settings.drain_timeout},
    transport_{gateway::make_transport(what.settings.server, what.settings.trigger, what.settings.security)},
    config_{std::make_unique<actor_config>()},
    system_{std::make_unique<caf::actor_system>(*config_)} {}

core::result<std::unique_ptr<node>> node::start(const assembled& what, std::shared_ptr<storage::database> database,
                                                std::string node_id, actors::logger log) {
  std::unique_ptr<node> made{new node{what, std::move(log)}};
  made->spawn(what, std::move(database), std::move(node_id));
  auto bound = made->transport_->listen(gateway::hand_over_to(made->gateway_));
  if (!bound)
    return tl::unexpected<core::error>{bound.error()};
  made->address_ = std::move(*bound);
  return made;
}

void node::spawn(const assembled& what, std::shared_ptr<storage::database> database, std::string node_id) {
  actors::node_parts parts;
  parts.settings = what.settings;
  parts.schedule_zone = what.schedule_zone;
  parts.identity = {std::move(node_id), what.settings.server.listen};
  parts.host = host_name();
  parts.open_store = [database] { return database->open(); };
  parts.store_writers = database->writers();
  parts.client = transport_->client();
  parts.random_seed = std::random_device{}();
  parts.log = log_;
  parts.fail_stop = [](const std::string&) { std::_Exit(exit_fail_stop); };
  supervisor_ = system_->spawn<protocol::with_state<actors::supervisor_state, protocol::supervisor>>(std::move(parts));
  caf::scoped_actor self{*system_};
  protocol::request(&*self, supervisor_, 10s, protocol::handles_query{})
    .receive(
      [&](protocol::node_handles& handles) {
        gateway::gateway_partners partners{handles.registry, handles.completion, supervisor_,
                                           [transport = transport_.get()] { return transport->counters(); }};
        gateway_ = system_->spawn<protocol::with_state<gateway::gateway_actor_state, protocol::gateway_actor>>(
          std::move(partners), what.settings.server, what.settings.security, log_);
        protocol::anon_send(handles.registry, protocol::registry_subscription{gateway_});
      },
      [&](const caf::error& problem) {
        log_->critical("the actors do not start: {}", caf::to_string(problem));
        std::_Exit(exit_fail_stop);
      });
}

node::~node() { stop(); }

core::result<core::deploy_report> node::apply(core::declared_set declared, bool prune) {
  core::result<core::deploy_report> outcome = core::fail(core::errc::unavailable, "the node is stopping");
  caf::scoped_actor self{*system_};
  auto fail = [&](const caf::error& problem) { outcome = tl::unexpected<core::error>{protocol::to_core(problem)}; };
  protocol::request(&*self, supervisor_, 10s, protocol::handles_query{})
    .receive(
      [&](protocol::node_handles& handles) {
        protocol::request(&*self, handles.jobs, 60s, protocol::apply_declared{std::move(declared), false, prune})
          .receive([&](core::deploy_report& report) { outcome = std::move(report); }, fail);
      },
      fail);
  return outcome;
}

void node::stop() {
  if (std::exchange(stopped_, true))
    return;
  {
    caf::scoped_actor self{*system_};
    auto ignore = [](const caf::error&) {};
    if (supervisor_ && !address_.empty()) // a node that never served has nothing to drain
      protocol::request(&*self, supervisor_, drain_timeout_ + 20s, protocol::stop_request{}).receive([] {}, ignore);
  }
  // The sockets before whoever answers on them: a callback that is not durable stays unanswered, and its sender repeats it.
  transport_->stop();
  if (gateway_)
    caf::anon_send_exit(gateway_, caf::exit_reason::user_shutdown);
  if (supervisor_)
    caf::anon_send_exit(supervisor_, caf::exit_reason::user_shutdown);
  gateway_ = nullptr;
  supervisor_ = nullptr;
  system_.reset();
}

} // namespace ringmaster::apps
