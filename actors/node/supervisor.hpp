#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/console/declared_files.hpp"
#include "actors/console/user_admin.hpp"
#include "actors/elastic/elastic_actors.hpp"
#include "actors/executors/executor_link.hpp"
#include "actors/executors/run_gate.hpp"
#include "actors/logger.hpp"
#include "actors/node/node_actor.hpp"
#include "actors/store/query_workers.hpp"
#include "actors/store/store_worker.hpp"
#include "config/settings.hpp"
#include "core/zone/zone.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/caf.hpp"
#include "protocol/examiner.hpp"
#include "protocol/link_ports.hpp"
#include "protocol/messages.hpp"
#include "protocol/notifier.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Parts from which a node is built and that are not actors.
struct node_parts {
  config::settings settings;
  core::zone schedule_zone;
  node_identity identity;
  /// This host's name, for the test messages of alarms.
  std::string host;
  store_opener open_store;
  /// Number of connections that benefit from writing at the same time (`storage::database::writers`).
  int store_writers = 1;
  /// Other admins may plan on this database, too (`storage::database::shares_schedule`).
  bool shares_schedule = false;
  /// Workers have their own threads. Off only if a test controls the time.
  bool detached_workers = true;
  std::shared_ptr<protocol::http_client> client;
  /// The common token of executors, which may be replaced. Empty: the one of the settings.
  std::optional<protocol::access_token_source> token = {};
  /// Ports to which executors connect. Null: no native links.
  std::shared_ptr<protocol::link_ports> link_ports = nullptr;
  /// Gate of runs over native links. Null: one that reads `gate` by the clocks below.
  std::shared_ptr<const run_gate> link_gate = nullptr;
  /// Returns why an executor's HTTP address may not be called; empty: it may.
  std::function<std::string(std::string_view address)> judge_address = {};
  /// Null: no notifications are sent, and alarms end as failed.
  std::shared_ptr<protocol::notifier> notifier;
  /// Makes the checks of the doctor. Null: none are made.
  std::shared_ptr<protocol::examiner> examiner = nullptr;
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  node_clocks clocks{protocol::wall_clock::of_system(), protocol::boottime_ns, true, protocol::system_time};
  /// Time before its instant at which a claimed run goes to the transport. Enough to make the requests of a full lane.
  core::milliseconds hand_over_ahead{100};
  std::uint64_t random_seed = 0;
  logger log;
  /// Spawns the actor that makes and checks stored passwords. Null: no user can sign in.
  std::function<protocol::password_keeper(caf::actor_system&)> make_keeper = {};
  /// Spawns the actors of elastic jobs, if there are native links. Null: no elastic jobs.
  elastic_spawner make_elastic = {};
  session_tokens sessions = {};
  /// Used by /api/v1.
  declared_files files = {};
  /// Folder for copies of logs while users read them. Empty: logs are read from executors directly.
  std::string spool_folder = {};
  /// Called once when an actor that must live has ended: the process must end, and its successor recovers. Called on any thread.
  std::function<void(const std::string& what)> fail_stop;
};

/// Supervisor of a node: spawns its actors in order, watches them, stops them in reverse: intake first, storage last. No actor is
/// restarted in place.
///
/// Handlers catch nothing. An exception that leaves a handler, even for lack of memory, ends its actor (CAF's default; a request
/// is answered with an error first). The end of any actor, except by the stop, ends the process by `fail_stop`, at once and
/// without clean-up: half-changed state is not worth saving, and the store has the truth. trigger_pool passes on the end of an
/// executor link. Only the worker's call into the store continues: a C++ exception in a use case becomes an `internal`
/// result, its transaction is rolled back, and the caller decides as for any other failure.
class supervisor_state {
public:
  static inline const char* name = "ringmaster.supervisor";

  supervisor_state(protocol::supervisor::pointer self, node_parts parts);
  ~supervisor_state();
  protocol::supervisor::behavior_type make_behavior();

private:
  /// Longest wait for an actor of this node that answers at once.
  static constexpr std::chrono::seconds question_limit{5};

  void spawn_storage();
  void spawn_firing_path();
  void spawn_surroundings();
  void spawn_node();
  void spawn_maintenance();
  void spawn_links();
  void spawn_elastic();
  void spawn_administration();
  [[nodiscard]] protocol::store_worker spawn_worker();
  [[nodiscard]] protocol::log_spool spawn_spool();

  /// Registers an actor for the stop, and ends the process when the actor ends.
  template <class Handle>
  Handle keep(const char* what, Handle handle);

  caf::result<protocol::node_status> status();
  caf::result<protocol::node_list> nodes();
  void add_storage(protocol::node_status&& known, caf::typed_response_promise<protocol::node_status> promise);
  void add_elastic(protocol::node_status&& known, caf::typed_response_promise<protocol::node_status> promise);

  // -- graceful stop (supervisor_stop.cpp): hand the slots over, fire what is reserved, claim nothing more, wait for answers, say
  // `down`
  caf::result<void> stop();
  void hand_over();
  void stop_firing();
  void finish_reserved();
  void drain();
  void drain_planner();
  void give_reservations_back();
  void release_elastic();
  void release_elastic_slots();
  void await_claims();
  void leave();
  void finish_mirror();
  void say_down();
  void finish();
  void exit_all();

  protocol::supervisor::pointer self_;
  node_parts parts_;
  protocol::watcher watcher_;
  /// Actors in the order of their start.
  std::vector<caf::actor> children_;

  protocol::storage_actor storage_;
  query_workers queries_;
  protocol::ring_actor ring_;
  protocol::trigger_pool pool_;
  protocol::schedule_actor schedule_;
  protocol::registry_monitor registry_;
  protocol::run_counter run_counter_;
  protocol::completion_actor completion_;
  protocol::recovery_actor recovery_;
  protocol::fail_monitor failures_;
  protocol::alarm_actor alarms_;
  protocol::alarm_tester alarm_tests_;
  protocol::doctor node_checks_;
  protocol::lost_monitor lost_;
  protocol::report_actor report_;
  protocol::row_sweeper sweeper_;
  protocol::log_keeper kept_logs_;
  /// Set only if other admins may plan, too.
  protocol::reservation_actor reservations_;
  protocol::schedule_guard guard_;
  /// Set only if executors may connect.
  protocol::native_links native_links_;
  elastic_actors elastic_;
  protocol::node_actor node_;
  protocol::job_admin jobs_;
  protocol::group_admin groups_;
  protocol::elastic_admin elastic_admin_;
  protocol::run_admin runs_;
  /// Set only if there is a folder for it.
  protocol::log_spool spool_;
  protocol::log_follower followed_logs_;
  protocol::task_runner tasks_;
  protocol::user_admin users_;
  protocol::figure_keeper figures_;

  bool stopping_ = false;
  /// Other nodes have taken this node's slots.
  bool has_heirs_ = false;
  /// Reserved instants have been fired, or are not waited for any longer.
  bool draining_ = false;
  std::optional<core::node_incarnation> incarnation_at_stop_;
  caf::actor_clock::time_point drain_until_{};
  std::vector<caf::typed_response_promise<void>> stopped_;
};

} // namespace ringmaster::actors
