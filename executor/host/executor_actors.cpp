// The actors of an executor: how they are created, connected and ended.

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include "actors/executor/admin_link.hpp"
#include "actors/executor/beat_actor.hpp"
#include "actors/executor/callbacks/callback_actor.hpp"
#include "actors/executor/executor_host.hpp"
#include "actors/executor/link_dialer.hpp"
#include "executor/files/dated_logs.hpp"
#include "executor/files/report_files.hpp"
#include "executor/files/run_log.hpp"
#include "executor/host/executor_parts.hpp"
#include "executor/host/handler_bodies.hpp"
#include "executor/host/http_door.hpp"
#include "executor/process/environment.hpp"
#include "executor/process/scripts.hpp"

namespace ringmaster::executor {

namespace {

using namespace std::chrono_literals;

/// Added to the drain's own limits.
constexpr auto stop_margin = 30s;
constexpr auto withdrawal_limit = 15s;
/// Time for bodies that have ended to write their last log lines.
constexpr auto last_words = 1s;

std::optional<protocol::wire::admin_family> family_of(std::string_view dialect) {
  using protocol::wire::admin_family;
  if (dialect == "auto")
    return std::nullopt;
  return dialect == "3.5" ? admin_family::app_named : admin_family::array;
}

/// Scripts as the fallback of handler_bodies.
class script_source final : public actors::body_source {
public:
  script_source(script_options options, log_opener logs) : scripts_{std::move(options), std::move(logs)} {}

  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const actors::run_body>& held) override {
    return scripts_.find(request, held);
  }

private:
  scripts scripts_;
};

} // namespace

config::executor_settings executor::parts::limits_of_jobs() const {
  config::executor_settings out;
  out.queue_max = options.queue_max;
  out.idle_limit = options.idle_limit;
  return out;
}

/// Ends the process when this actor dies unexpectedly, because runs would be lost; the service manager then restarts it.
template <class Handle>
void executor::parts::watch(const char* what, const Handle& handle) {
  caf::actor_cast<caf::strong_actor_ptr>(handle)->get()->attach_functor([what, log = log](const caf::error& reason) {
    if (reason == caf::exit_reason::user_shutdown || !reason)
      return;
    log->critical("{} ended unexpectedly: {}", what, caf::to_string(reason));
    log->flush();
    constexpr int fail_stop = 70;
    std::_Exit(fail_stop);
  });
}

core::result<void> executor::parts::spawn() {
  config = std::make_unique<actors::system_config>(ports != nullptr);
  system = std::make_unique<caf::actor_system>(*config);
  const auto dated = std::make_shared<dated_logs>(logs, logs_of_runs());
  const actors::admin_link_settings reached{options.admins, options.app_name, options.access_token,
                                            options.admin_timeout, family_of(options.dialect)};
  admins = system->spawn<protocol::with_state<actors::admin_link_state, protocol::admin_link>>(transport->client(), reached, log);
  callbacks = system->spawn<protocol::with_state<actors::callback_actor_state, protocol::callback_actor>>(
    actors::callback_tools{admins, actors::patience_with(reached), threads,
                           std::make_shared<report_files>(options.log_path), dated, runs, counts, log});
  const auto open_log = [logs = logs](const core::trigger_request& request) {
    return std::make_unique<run_log>(*logs, request);
  };
  const auto open_waiting_log = [logs = logs](const core::trigger_request& request) {
    return std::make_unique<run_log>(*logs, request, log_writer::opens::for_each_write);
  };
  const auto is_coroutine = [](const auto& each) { return each.second->run.is_coroutine(); };
  const auto is_item_coroutine = [](const auto& each) { return each.second->is_coroutine(); };
  if (std::any_of(known.all().begin(), known.all().end(), is_coroutine)
      || std::any_of(items.all().begin(), items.all().end(), is_item_coroutine))
    tasks = std::make_shared<task_threads>(options.coroutine_threads, threads);
  auto bodies = std::make_shared<handler_bodies>(
    known, handler_tools{open_log, open_waiting_log, tasks},
    std::make_unique<script_source>(
      script_options{options.scripts, options.log_path, options.script_limits, inherited_environment()}, open_log));
  host = system->spawn<protocol::with_state<actors::executor_host_state, protocol::executor_host>>(
    actors::host_tools{std::move(bodies), threads, dated, runs, callbacks, counts, limits_of_jobs(), log});
  door = system->spawn<protocol::with_state<http_door_state, protocol::executor_door>>(host, options.access_token,
                                                                                       options.app_name, address);
  watch("admin_link", admins);
  watch("callback_actor", callbacks);
  watch("executor_host", host);
  watch("http_door", door);
  if (auto spawned = spawn_elastic(); !spawned)
    return spawned;
  if (elastic_host)
    watch("elastic_host", elastic_host);
  if (ports)
    spawn_links();
  return {};
}

void executor::parts::spawn_links() {
  ports->attach(*system);
  links = system->spawn<protocol::with_state<actors::link_dialer_state, protocol::link_dialer>>(actors::dialer_parts{
    options.nodes, {options.app_name, address, options.access_token}, host, callbacks, ports, {}, std::random_device{}(),
    log, elastic_host});
  watch("link_dialer", links);
}

core::result<void> executor::parts::serve() {
  const auto bound = transport->listen(hand_over_to(door));
  if (!bound)
    return tl::unexpected{bound.error()};
  // The port is open by now, because an admin may call as soon as it knows the address. Nodes with a native link register it
  // themselves.
  if (options.admins.empty())
    return {};
  beats = system->spawn<protocol::with_state<actors::beat_actor_state, protocol::beat_actor>>(
    admins, actors::beat_identity{options.app_name, address},
    actors::patience_with({options.admins, options.app_name, "", options.admin_timeout}), log);
  log->info("serving on {}, registers as {}", *bound, address);
  return {};
}

void executor::parts::stop() {
  if (transport)
    transport->stop_accepting();
  if (system && (beats || links)) {
    caf::scoped_actor self{*system};
    const auto ignore = [](const caf::error&) {};
    if (links)
      protocol::request(&*self, links, withdrawal_limit, protocol::link_goodbye{}).receive([] {}, ignore);
    if (beats)
      protocol::request(&*self, beats, withdrawal_limit, protocol::end_registration{}).receive([] {}, ignore);
    drain();
    protocol::request(&*self, host, withdrawal_limit, protocol::executor_state_query{})
      .receive(
        [this](const protocol::executor_state& at_end) {
          log->info("stopped: {} runs accepted, {} results left for the next start", at_end.runs_taken, at_end.unreported);
        },
        ignore);
  }
  if (transport)
    transport->stop();
  cleaner.reset();
  item_cleaner.reset();
}

void executor::parts::drain() {
  caf::scoped_actor self{*system};
  const auto ignore = [](const caf::error&) {};
  const auto limit = options.drain_timeout;
  // Both drain at the same time.
  auto of_runs = protocol::request(&*self, host, limit + stop_margin, protocol::drain_request{limit});
  if (elastic_host) {
    const auto item_limit = options.elastic_drain;
    protocol::request(&*self, elastic_host, item_limit + stop_margin, protocol::drain_request{item_limit}).receive([] {}, ignore);
  }
  of_runs.receive([] {}, ignore);
}

bool executor::parts::end() {
  threads->close(); // no new work may begin that could outlive this object
  if (tasks)
    tasks->close();
  if (!threads->wait_until_idle(last_words) || (tasks && !tasks->wait_until_idle(last_words)))
    return false;
  if (system) {
    const auto quit = [](auto& handle) {
      if (handle)
        caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
      handle = nullptr;
    };
    quit(beats);
    quit(door);
    quit(links);
    lease_timer.reset();
    quit(elastic_host);
    quit(host);
    quit(callbacks);
    quit(admins);
    system.reset();
  }
  return true;
}

} // namespace ringmaster::executor
