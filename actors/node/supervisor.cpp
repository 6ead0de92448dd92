#include "actors/node/supervisor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/alarms/alarm_actor.hpp"
#include "actors/alarms/alarm_tester.hpp"
#include "actors/console/elastic_admin.hpp"
#include "actors/console/group_admin.hpp"
#include "actors/console/job_admin.hpp"
#include "actors/console/log_follower.hpp"
#include "actors/console/log_spool.hpp"
#include "actors/console/run_admin.hpp"
#include "actors/console/task_runner.hpp"
#include "actors/executors/native_links.hpp"
#include "actors/executors/registry_monitor.hpp"
#include "actors/firing/completion_actor.hpp"
#include "actors/firing/reservation_actor.hpp"
#include "actors/firing/ring_actor.hpp"
#include "actors/firing/run_counter.hpp"
#include "actors/firing/schedule_actor.hpp"
#include "actors/maintenance/doctor.hpp"
#include "actors/maintenance/log_keeper.hpp"
#include "actors/maintenance/report_actor.hpp"
#include "actors/maintenance/row_sweeper.hpp"
#include "actors/node/figure_keeper.hpp"
#include "actors/node/schedule_guard.hpp"
#include "actors/node/store_pulse.hpp"
#include "actors/recovery/fail_monitor.hpp"
#include "actors/recovery/lost_monitor.hpp"
#include "actors/recovery/recovery_actor.hpp"
#include "actors/store/read_pool.hpp"
#include "actors/store/storage_actor.hpp"
#include "actors/trigger/trigger_pool.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Connections for pages. With one connection, a page on MariaDB mostly waits for the server's thread to wake up.
constexpr std::size_t readers_max = 4;

/// Limit of a request to an executor: longer than the link's own limits.
std::chrono::milliseconds executor_limit(const config::settings& settings) {
  return settings.trigger.connect_timeout + settings.trigger.request_timeout + 1s;
}

void add_reasons(protocol::node_status& to, protocol::node_status&& other) {
  to.ready = to.ready && other.ready;
  std::move(other.reasons.begin(), other.reasons.end(), std::back_inserter(to.reasons));
}

} // namespace

supervisor_state::supervisor_state(protocol::supervisor::pointer self, node_parts parts) : self_{self}, parts_{std::move(parts)} {
  spawn_storage();
  spawn_firing_path();
  spawn_surroundings();
}

supervisor_state::~supervisor_state() { exit_all(); }

protocol::supervisor::behavior_type supervisor_state::make_behavior() {
  return {
    [this](protocol::status_query) { return status(); },
    [this](protocol::nodes_query) { return nodes(); },
    [this](protocol::handles_query) {
      return protocol::node_handles{registry_, completion_, jobs_, users_, groups_, runs_, followed_logs_, alarm_tests_,
                                    figures_, node_checks_, tasks_, alarms_, elastic_admin_};
    },
    [this](protocol::stop_request) { return stop(); },
    [this](protocol::tick_atom) { await_claims(); },
  };
}

template <class Handle>
Handle supervisor_state::keep(const char* what, Handle handle) {
  children_.push_back(caf::actor_cast<caf::actor>(handle));
  watcher_.watch(self_, handle, [this, what](const caf::error& reason) {
    if (stopping_)
      return;
    parts_.log->critical("{} ended unexpectedly: {}", what, caf::to_string(reason));
    parts_.fail_stop(what);
  });
  return handle;
}

protocol::store_worker supervisor_state::spawn_worker() {
  using worker = protocol::with_state<store_worker_state, protocol::store_worker>;
  return keep("store_worker", parts_.detached_workers ? self_->spawn<worker, caf::detached>(parts_.open_store)
                                                      : self_->spawn<worker>(parts_.open_store));
}

protocol::log_spool supervisor_state::spawn_spool() {
  if (parts_.spool_folder.empty())
    return {};
  using spool = protocol::with_state<log_spool_state, protocol::log_spool>;
  const auto limit = executor_limit(parts_.settings);
  const auto& clock = parts_.clocks.wall;
  spool_settings settings{.folder = parts_.spool_folder};
  return keep("log_spool", parts_.detached_workers
                             ? self_->spawn<spool, caf::detached>(pool_, limit, std::move(settings), clock, parts_.log)
                             : self_->spawn<spool>(pool_, limit, std::move(settings), clock, parts_.log));
}

void supervisor_state::spawn_storage() {
  auto claims = spawn_worker();
  storage_workers workers{claims, claims, claims};
  if (parts_.store_writers > 1) {
    workers.records = spawn_worker();
    workers.control = spawn_worker();
  }
  std::vector<protocol::store_worker> readers(readers_max);
  std::generate(readers.begin(), readers.end(), [this] { return spawn_worker(); });
  queries_ = {keep("read_pool", self_->spawn<protocol::with_state<read_pool_state, protocol::query_worker>>(std::move(readers))),
              spawn_worker(), spawn_worker()};
  storage_ =
    keep("storage_actor", self_->spawn<protocol::with_state<storage_actor_state, protocol::storage_actor>>(
                            std::move(workers), parts_.settings.schedule.claim_rows_max, parts_.clocks.wall, parts_.log,
                            parts_.identity.marks));
}

void supervisor_state::spawn_firing_path() {
  const auto& settings = parts_.settings;
  link_tools tools{parts_.client, parts_.gate, settings.trigger, parts_.token.value_or(settings.security.access_token)};
  pool_ = keep("trigger_pool", self_->spawn<protocol::with_state<trigger_pool_state, protocol::trigger_pool>>(
                                 storage_, std::move(tools), settings.schedule.misfire_after, parts_.random_seed,
                                 parts_.clocks.wall, parts_.log));
  ring_ = keep("ring_actor",
               self_->spawn<protocol::with_state<ring_actor_state, protocol::ring_actor>>(
                 pool_, parts_.hand_over_ahead, parts_.clocks.wall));
  run_counter_ = keep("run_counter", self_->spawn<protocol::with_state<run_counter_state, protocol::run_counter>>(
                                       parts_.clocks.wall));
  registry_ = keep("registry_monitor", self_->spawn<protocol::with_state<registry_monitor_state, protocol::registry_monitor>>(
                                         storage_, std::vector<protocol::registry_listener>{pool_, run_counter_},
                                         parts_.clocks.wall, settings.registry, parts_.log));
  schedule_ = keep("schedule_actor", self_->spawn<protocol::with_state<schedule_actor_state, protocol::schedule_actor>>(
                                       schedule_partners{storage_, pool_, ring_, registry_}, settings.schedule,
                                       parts_.schedule_zone, parts_.identity.id, parts_.clocks.wall, parts_.log));
}

void supervisor_state::spawn_surroundings() {
  const auto& settings = parts_.settings;
  completion_ = keep("completion_actor", self_->spawn<protocol::with_state<completion_actor_state, protocol::completion_actor>>(
                                           storage_, queries_.reads, settings.server.reply_timeout, parts_.log));
  recovery_ = keep("recovery_actor", self_->spawn<protocol::with_state<recovery_actor_state, protocol::recovery_actor>>(
                                       storage_, pool_, recovery_settings{settings.trigger, settings.schedule.misfire_after,
                                                                 settings.cluster.dead_after, settings.cluster.send_margin},
                                       parts_.clocks.wall, parts_.log));
  protocol::send(self_, pool_, protocol::trigger_partners{completion_, recovery_, registry_});
  protocol::send(self_, storage_, protocol::store_listener{schedule_, recovery_, run_counter_});
  spawn_maintenance();
  spawn_administration();
  failures_ = keep("fail_monitor", self_->spawn<protocol::with_state<fail_monitor_state, protocol::fail_monitor>>(
                                     storage_, schedule_, parts_.clocks.wall, parts_.log));
  const auto language = core::find_language(settings.server.language).value_or(core::language::en);
  alarms_ = keep("alarm_actor", self_->spawn<protocol::with_state<alarm_actor_state, protocol::alarm_actor>>(
                                  storage_, pool_, parts_.notifier, settings.alarm, language, parts_.clocks.wall, parts_.log));
  alarm_metrics counters{self_->system()};
  counters.know(protocol::mail_channel);
  for (const auto& webhook : settings.webhooks)
    counters.know(webhook.name);
  spawn_links();
  elastic_admin_ =
    keep("elastic_admin", self_->spawn<protocol::with_state<elastic_admin_state, protocol::elastic_admin>>(
                            queries_, elastic_.director, parts_.clocks.wall, parts_.log, parts_.files));
  spawn_node();
  figures_ = keep("figure_keeper", self_->spawn<protocol::with_state<figure_keeper_state, protocol::figure_keeper>>(
                                     node_, registry_, queries_.reads, parts_.clocks.wall));
}

void supervisor_state::spawn_links() {
  if (!parts_.link_ports)
    return;
  const auto& settings = parts_.settings;
  const auto token = parts_.token.value_or(settings.security.access_token);
  auto gate = parts_.link_gate ? parts_.link_gate : std::make_shared<const run_gate>(parts_.gate, parts_.clocks.boot);
  native_link_tools tools{settings.trigger, pool_, completion_, settings.server.reply_timeout, std::move(gate), parts_.log};
  native_links_ = keep("native_links",
                       self_->spawn<protocol::with_state<native_links_state, protocol::native_links>>(native_links_parts{
                         std::move(tools), registry_, parts_.link_ports, token, parts_.judge_address,
                         settings.registry.dead_after / 3, parts_.clocks.wall}));
  protocol::send(self_, registry_, protocol::registry_subscription{native_links_});
  if (parts_.make_elastic)
    spawn_elastic();
}

// Their transactions alternate with those of the firing path where the database has one writer.
void supervisor_state::spawn_elastic() {
  const bool has_writers = parts_.store_writers > 1;
  const auto next_worker = [&] { return has_writers ? spawn_worker() : protocol::store_worker{storage_}; };
  const auto write_worker = next_worker();
  const auto worker = next_worker();
  const auto hosts_worker = next_worker();
  elastic_ = parts_.make_elastic(self_->system(),
                                 {parts_.identity.id, write_worker, worker, hosts_worker, parts_.schedule_zone,
                                  parts_.settings.schedule.edit_poll, parts_.clocks.wall, parts_.log,
                                  parts_.identity.elastic_marks, parts_.notifier, parts_.settings.elastic});
  keep("elastic_writer", elastic_.writer);
  if (elastic_.errors)
    keep("error_notifier", elastic_.errors);
  keep("elastic_director", elastic_.director);
  keep("elastic_hosts", elastic_.hosts);
  protocol::send(self_, native_links_, protocol::link_subscription{elastic_.hosts});
}

// Actors for requests of users. None uses the connections of the firing path.
void supervisor_state::spawn_administration() {
  const auto& settings = parts_.settings;
  const auto language = core::find_language(settings.server.language).value_or(core::language::en);
  jobs_ = keep("job_admin", self_->spawn<protocol::with_state<job_admin_state, protocol::job_admin>>(
                              queries_, schedule_, registry_, settings.security, parts_.clocks.wall, parts_.log,
                              parts_.files, forecast_rules{parts_.schedule_zone, settings.schedule.misfire_after},
                              config::ask_limit(settings.server)));
  groups_ = keep("group_admin", self_->spawn<protocol::with_state<group_admin_state, protocol::group_admin>>(
                                  queries_, registry_, parts_.clocks.wall, parts_.log));
  spool_ = spawn_spool();
  runs_ = keep("run_admin", self_->spawn<protocol::with_state<run_admin_state, protocol::run_admin>>(
                              queries_, pool_, completion_, executor_limit(settings), language, parts_.clocks.wall, parts_.log,
                              spool_, config::ask_limit(settings.server)));
  followed_logs_ = keep("log_follower", self_->spawn<protocol::with_state<log_follower_state, protocol::log_follower>>(
                                          runs_, settings.server.reply_timeout));
  tasks_ = keep("task_runner", self_->spawn<protocol::with_state<task_runner_state, protocol::task_runner>>(
                                 jobs_, runs_, config::ask_limit(settings.server),
                                 parts_.store_writers > 1 ? task_pace::several : task_pace::one_writer, parts_.clocks.wall,
                                 parts_.log));
  alarm_tests_ = keep("alarm_tester", self_->spawn<protocol::with_state<alarm_tester_state, protocol::alarm_tester>>(
                                        parts_.notifier, test_form{parts_.host, language, settings.alarm.form == "xxl"},
                                        config::ask_limit(settings.server) / 10 * 9, parts_.clocks.wall, parts_.log));
  node_checks_ = keep("doctor", self_->spawn<protocol::with_state<doctor_state, protocol::doctor>>(
                                  parts_.examiner, parts_.identity.id, parts_.clocks.wall, parts_.log));
  if (parts_.make_keeper)
    users_ = keep("user_admin", self_->spawn<protocol::with_state<user_admin_state, protocol::user_admin>>(
                                  queries_, keep("password_keeper", parts_.make_keeper(self_->system())), settings.security,
                                  parts_.sessions, parts_.clocks.wall, parts_.log));
}

void supervisor_state::spawn_node() {
  const auto& settings = parts_.settings;
  // Storage first: it must know the incarnation under which it records before other actors send results.
  std::vector<protocol::incarnation_listener> listeners{storage_, ring_, schedule_, recovery_,  failures_,
                                                        alarms_,  lost_, report_,   kept_logs_, sweeper_};
  if (native_links_)
    listeners.emplace_back(native_links_);
  std::vector<protocol::slot_listener> duties{lost_, report_, kept_logs_, sweeper_};
  std::vector<protocol::pulse_listener> pulse_listeners{schedule_, storage_, recovery_, alarms_};
  if (elastic_.director) {
    // The writer first: others may write as soon as they know the incarnation.
    listeners.insert(listeners.end(), {elastic_.writer, elastic_.hosts, elastic_.director});
    duties.emplace_back(elastic_.director);
    pulse_listeners.emplace_back(elastic_.director);
  }
  if (parts_.shares_schedule) {
    auto worker = spawn_worker();
    reservations_ =
      keep("reservation_actor", self_->spawn<protocol::with_state<reservation_actor_state, protocol::reservation_actor>>(
                                  reservation_partners{worker, schedule_}, settings.schedule, parts_.gate, parts_.clocks.wall,
                                  parts_.clocks.boot, parts_.log));
    guard_ = keep("schedule_guard", self_->spawn<protocol::with_state<schedule_guard_state, protocol::schedule_guard>>(
                                      worker, parts_.log));
    duties.emplace_back(guard_);
    listeners.emplace_back(guard_); // releases the lock before the other takes it
    listeners.emplace_back(reservations_);
  }
  listeners.emplace_back(keep("store_pulse", self_->spawn<protocol::with_state<store_pulse_state, protocol::store_pulse>>(
                                               protocol::store_worker{storage_}, std::move(pulse_listeners))));
  // The heartbeat waits only for the database: it has its own connection. With a single writer, it goes to the head of the
  // writer's queue.
  const auto incarnations_store = parts_.store_writers > 1 ? spawn_worker() : protocol::store_worker{storage_};
  node_ =
    keep("node_actor",
         self_->spawn<protocol::with_state<node_actor_state, protocol::node_actor>>(
           node_links{incarnations_store, schedule_, std::move(listeners), std::move(duties), recovery_},
           parts_.identity, settings.cluster, parts_.gate, parts_.clocks, parts_.log));
}

// Actors that maintain the log: apart from the firing path, on the leader.
void supervisor_state::spawn_maintenance() {
  const auto& settings = parts_.settings;
  const auto language = core::find_language(settings.server.language).value_or(core::language::en);
  lost_ = keep("lost_monitor", self_->spawn<protocol::with_state<lost_monitor_state, protocol::lost_monitor>>(
                                 lost_partners{completion_, queries_.edits, pool_},
                                 lost_settings{settings.trigger, settings.retention, language}, parts_.clocks.wall, parts_.log));
  report_ = keep("report_actor", self_->spawn<protocol::with_state<report_actor_state, protocol::report_actor>>(
                                   leader_workers{storage_, queries_.edits, parts_.store_writers > 1}, settings.retention,
                                   settings.elastic, parts_.schedule_zone, parts_.clocks.wall, parts_.log));
  kept_logs_ = keep("log_keeper", self_->spawn<protocol::with_state<log_keeper_state, protocol::log_keeper>>(
                                    keeper_partners{{storage_, queries_.edits, parts_.store_writers > 1}, pool_},
                                    settings.retention, executor_limit(settings), parts_.clocks.wall, parts_.log));
  sweeper_ = keep("row_sweeper", self_->spawn<protocol::with_state<row_sweeper_state, protocol::row_sweeper>>(
                                   leader_workers{storage_, queries_.edits, parts_.store_writers > 1}, parts_.clocks.wall,
                                   parts_.log));
  protocol::send(self_, registry_, protocol::registry_subscription{lost_});
  protocol::send(self_, registry_, protocol::update_subscription{pool_});
  protocol::send(self_, registry_, protocol::update_subscription{lost_});
}

caf::result<protocol::node_status> supervisor_state::status() {
  if (stopping_)
    return protocol::node_status{false, {"the node is stopping"}, std::nullopt};
  auto promise = self_->make_response_promise<protocol::node_status>();
  protocol::request(self_, node_, question_limit, protocol::status_query{})
    .then([this, promise](protocol::node_status& known) mutable { add_storage(std::move(known), std::move(promise)); },
          [promise](const caf::error&) mutable {
            promise.deliver(protocol::node_status{false, {"the node does not answer"}, std::nullopt});
          });
  return promise;
}

caf::result<protocol::node_list> supervisor_state::nodes() {
  auto promise = self_->make_response_promise<protocol::node_list>();
  protocol::request(self_, node_, question_limit, protocol::nodes_query{})
    .then(
      [this, promise](protocol::node_list& known) mutable {
        // Its beat goes on until the drain is over.
        for (auto& each : known.nodes)
          if (each.self && each.health == core::node_health::alive && stopping_)
            each.health = core::node_health::draining;
        promise.deliver(std::move(known));
      },
      [promise](const caf::error& reason) mutable { promise.deliver(reason); });
  return promise;
}

void supervisor_state::add_elastic(protocol::node_status&& known, caf::typed_response_promise<protocol::node_status> promise) {
  protocol::request(self_, elastic_.writer, question_limit, protocol::status_query{})
    .then(
      [known = std::move(known), promise](protocol::node_status& writer) mutable {
        add_reasons(known, std::move(writer));
        promise.deliver(std::move(known));
      },
      [promise](const caf::error&) mutable {
        promise.deliver(protocol::node_status{false, {"the writer of elastic jobs does not answer"}, std::nullopt});
      });
}

// A beat is one short write: it may succeed while claims and results do not.
void supervisor_state::add_storage(protocol::node_status&& known, caf::typed_response_promise<protocol::node_status> promise) {
  protocol::request(self_, storage_, question_limit, protocol::status_query{})
    .then(
      [this, known = std::move(known), promise](protocol::node_status& storage) mutable {
        add_reasons(known, std::move(storage));
        if (elastic_.writer)
          return add_elastic(std::move(known), std::move(promise));
        promise.deliver(std::move(known));
      },
      [promise](const caf::error&) mutable {
        promise.deliver(protocol::node_status{false, {"the storage does not answer"}, std::nullopt});
      });
}

} // namespace ringmaster::actors
