#include "apps/server/node.hpp"

#include <cstdlib>
#include <future>
#include <random>
#include <utility>

#include "actors/elastic/local_processes.hpp"
#include "actors/elastic/spawn_elastic.hpp"
#include "actors/link/system_config.hpp"
#include "actors/node/supervisor.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/console_files.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/server/declared_bodies.hpp"
#include "apps/server/secrets.hpp"
#include "apps/terminal/command_options.hpp"
#include "apps/terminal/declaration_text.hpp"
#include "apps/terminal/version_text.hpp"
#include "config/token_settings.hpp"
#include "core/rules/audit_rules.hpp"
#include "gateway/auth/password_keeper.hpp"
#include "gateway/auth/secrets.hpp"
#include "gateway/gateway_actor.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

/// Returns the dialect of the tables. G5 is the last generation of releases up to 3.1 (XXL admin §2.1).
protocol::wire::dialect dialect_of(int generation) noexcept {
  return generation != 0 && generation <= 5 ? protocol::wire::dialect::xxl2 : protocol::wire::dialect::xxl3;
}

/// Draws the id of a database: 32 hexadecimal digits. Empty without random numbers: the store refuses it.
std::string draw_cluster_id() {
  const auto token = gateway::random_token();
  return token ? gateway::sha256_hex(*token).substr(0, 32) : std::string{};
}

} // namespace

node::node(node_bootstrap base)
  : base_{std::move(base)},
    token_{config::common_tokens_of(base_.what.settings.security, base_.token.token)},
    config_{std::make_unique<actors::system_config>(!base_.what.settings.link.listen.empty())},
    system_{std::make_unique<caf::actor_system>(*config_)} {}

core::result<std::unique_ptr<node>> node::start(node_bootstrap base) {
  std::unique_ptr<node> made{new node{std::move(base)}};
  if (auto open = made->open_links(); !open)
    return tl::unexpected<core::error>{open.error()};
  made->spawn();
  auto bound = made->base_.transport->listen(
    gateway::hand_over_to(made->gateway_),
    gateway::body_rule_of(gateway::routes(), made->base_.what.settings.server.context_path));
  if (!bound)
    return tl::unexpected<core::error>{bound.error()};
  made->address_ = std::move(*bound);
  return made;
}

core::result<void> node::open_links() {
  const auto& link = base_.what.settings.link;
  if (link.listen.empty())
    return {};
  auto ports = actors::tls_ports::make({link.certificate, link.key, link.ca});
  if (!ports)
    return tl::unexpected<core::error>{ports.error()};
  auto bound = (*ports)->bind(link.listen, base_.log);
  if (!bound)
    return tl::unexpected<core::error>{bound.error()};
  links_ = std::move(*ports);
  links_->attach(*system_);
  link_address_ = std::move(*bound);
  base_.log->info("executors can connect to {}", link_address_);
  return {};
}

void node::spawn() {
  actors::node_parts parts;
  parts.settings = base_.what.settings;
  parts.schedule_zone = base_.what.schedule_zone;
  parts.identity = {base_.node_id, base_.address, base_.data_dir.process_name(), static_cast<bool>(base_.sqlite_file),
                    base_.marks, base_.elastic_marks};
  parts.host = host_name();
  parts.clocks.wall = clock_;
  parts.open_store = [database = base_.database] { return database->open(); };
  parts.store_writers = base_.database->writers();
  parts.shares_schedule = base_.database->shares_schedule();
  parts.client = base_.transport->client();
  parts.token = token_;
  parts.link_ports = links_;
  parts.judge_address = gateway::judge_addresses_by(base_.what.settings.security);
  show_build();
  auto configured = base_.what;
  if (!base_.token.file.empty())
    configured.settings.security.access_token.clear(); // as a reload reads it
  files_ = std::make_shared<live_assembly>(configured);
  notifier_ = gateway::make_notifier(notification_of(base_.what.settings));
  parts.notifier = notifier_;
  parts.make_keeper = [](caf::actor_system& system) {
    return system.spawn<protocol::with_state<gateway::password_keeper_state, protocol::password_keeper>, caf::detached>();
  };
  parts.make_elastic = actors::make_elastic_spawner(std::make_shared<actors::local_processes>(), draw_cluster_id);
  parts.sessions = {gateway::random_token, gateway::sha256_hex, base_.one_time};
  parts.files = declared_bodies(files_);
  if (base_.checks)
    doctor_ = std::make_shared<doctor_thread>(files_, base_.checks, base_.address);
  parts.examiner = doctor_;
  parts.spool_folder = prepare_spool_folder(base_.what.settings);
  parts.random_seed = std::random_device{}();
  parts.log = base_.log;
  parts.fail_stop = [](const std::string&) { std::_Exit(exit_fail_stop); };
  supervisor_ = system_->spawn<protocol::with_state<actors::supervisor_state, protocol::supervisor>>(std::move(parts));
  watch("supervisor", supervisor_);
  caf::scoped_actor self{*system_};
  protocol::request(&*self, supervisor_, 10s, protocol::handles_query{})
    .receive([this](protocol::node_handles& handles) { spawn_gateway(handles); },
             [this](const caf::error& problem) {
               base_.log->critical("cannot start the actors: {}", caf::to_string(problem));
               std::_Exit(exit_fail_stop);
             });
}

void node::show_build() {
  const std::string commit{built_from()};
  system_->metrics()
    .gauge_family("ringmaster", "build-info", {"version", "commit"}, "The release and the commit of this binary; always 1.")
    ->get_or_add({{"version", RINGMASTER_VERSION}, {"commit", commit}})
    ->value(1);
}

void node::spawn_gateway(protocol::node_handles& handles) {
  const auto& settings = base_.what.settings;
  gateway::gateway_partners partners{handles.registry, handles.completion, supervisor_,
                                     [transport = base_.transport.get()] { return transport->counters(); },
                                     handles.jobs, handles.users, handles.groups, handles.runs, handles.followed_logs,
                                     handles.alarm_tests, handles.figures, handles.node_checks, handles.tasks, handles.alarms,
                                     handles.elastic};
  gateway::web_setup web{
    settings.gateway, dialect_of(base_.generation), base_.what.schedule_zone, RINGMASTER_VERSION, token_, console_files(),
    base_.one_time.has_value(), unsupported_elastic_options()};
  gateway_ = system_->spawn<protocol::with_state<gateway::gateway_actor_state, protocol::gateway_actor>>(
    std::move(partners), settings.server, settings.security, base_.log, web);
  watch("gateway_actor", gateway_);
  protocol::anon_send(handles.registry, protocol::registry_subscription{gateway_});
}

/// Monitors an actor without a supervisor. If it ends other than by `stop`, the process ends.
template <class Handle>
void node::watch(const char* what, const Handle& handle) {
  caf::actor_cast<caf::strong_actor_ptr>(handle)->get()->attach_functor([what, log = base_.log](const caf::error& reason) {
    if (reason == caf::exit_reason::user_shutdown || !reason)
      return;
    log->critical("{} ended unexpectedly: {}", what, caf::to_string(reason));
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

bool node::answers(std::chrono::milliseconds limit) {
  bool answered = false;
  caf::scoped_actor self{*system_};
  protocol::request(&*self, supervisor_, limit, protocol::status_query{})
    .receive([&](const protocol::node_status&) { answered = true; }, [](const caf::error&) {});
  return answered;
}

core::result<void> node::reload_tls() {
  auto done = base_.transport->reload_tls();
  if (auto links = links_ ? links_->reload() : core::result<void>{}; !links) {
    if (!done)
      links.error().context = done.error().context + "; " + links.error().context;
    done = links;
  }
  warn_of_tls(base_.what.settings, base_.log);
  return done;
}

void node::reload(const assembled& fresh) {
  files_->replace(fresh);
  notifier_->reload(notification_of(fresh.settings));
  base_.log->set_level(spdlog::level::from_str(fresh.settings.log.level));
  token_.replace(config::common_tokens_of(fresh.settings.security, base_.token.token));
}

core::result<void> node::record_reload(const std::vector<std::string>& settings) {
  std::vector<core::audit_row> rows;
  for (const auto& name : settings)
    rows.push_back(core::audit_of(core::local_operator(), core::audit_action::update, core::audit_object::setting, 0, name,
                                  {"changed by a reload of the configuration"}, system_now()));
  auto store = base_.database->open();
  if (!store)
    return tl::unexpected{store.error()};
  return (*store)->audits().record(rows);
}

bool node::uses_tls() const {
  const auto& settings = base_.what.settings;
  return !settings.server.tls_certificate.empty() || !settings.security.executor_ca.empty() ||
         !settings.security.executor_certificate.empty() || links_;
}

// An actor answers, so that this thread can wait for a second signal at the same time.
void node::drain(const std::function<bool()>& hurried) {
  std::promise<void> done;
  auto stopped = done.get_future();
  auto limit = base_.what.settings.drain_timeout + 30s;
  auto ask = [&](caf::event_based_actor* self) {
    protocol::request(self, supervisor_, limit, protocol::stop_request{})
      .then([&] { done.set_value(); }, [&](const caf::error&) { done.set_value(); });
  };
  system_->spawn(ask);
  bool asked_again = false;
  while (stopped.wait_for(100ms) != std::future_status::ready)
    if (!asked_again && hurried()) {
      asked_again = true;
      protocol::anon_send(supervisor_, protocol::stop_request{});
    }
}

void node::stop(const std::function<bool()>& hurried) {
  if (std::exchange(stopped_, true))
    return;
  if (doctor_)
    doctor_->leave_rest();
  if (supervisor_ && !address_.empty()) // a node that never served has nothing to drain
    drain(hurried);
  // Closes the sockets before the actors that answer on them: a callback that is not durable stays unanswered, and its sender
  // repeats it.
  base_.transport->stop();
  if (gateway_)
    caf::anon_send_exit(gateway_, caf::exit_reason::user_shutdown);
  if (supervisor_)
    caf::anon_send_exit(supervisor_, caf::exit_reason::user_shutdown);
  gateway_ = nullptr;
  supervisor_ = nullptr;
  // Their answers go to actors, so they end before them.
  if (notifier_)
    notifier_->stop();
  if (doctor_)
    doctor_->stop();
  system_.reset();
  for (const auto& marks : {base_.marks, base_.elastic_marks})
    if (marks)
      marks->finish();
}

} // namespace ringmaster::apps
