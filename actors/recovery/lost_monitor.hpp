#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/logger.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "actors/recovery/known_executors.hpp"
#include "actors/recovery/lost_queries.hpp"
#include "actors/recovery/lost_walk.hpp"
#include "actors/recovery/open_runs.hpp"
#include "actors/recovery/returned_executors.hpp"
#include "actors/recovery/suspected_executors.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"
#include "core/run/log_row.hpp"
#include "core/run/lost_verdict.hpp"
#include "core/text/language.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct lost_partners {
  /// Takes "lost" like any other result: the first one wins, with children and retry.
  protocol::completion_actor completion;
  /// Worker for reads, with its own connection.
  protocol::query_worker queries;
  /// Owner of the links to executors.
  protocol::trigger_pool pool;
};

struct lost_settings {
  config::trigger_settings trigger;
  config::retention_settings retention;
  /// Language of the result that is stored.
  core::language language = core::language::en;
};

/// Actor that finds runs that an executor accepted and whose result does not come (firing protocol §11). Runs on the leader.
///
/// It finds them in two ways. A suspicious executor (no connection could be made, its registration ended, or it came back) is
/// asked whether it is alive; as soon as it answers anything, each of its open runs is examined. Runs older than `core::lost_age`
/// are found by a walk along the ids, which starts at the oldest open run of the previous walk: no run before that mark is open.
/// `core::judge` decides about a run from its executor's answers to `/idleBeat` and `/log`, in this order; a run whose row has a
/// result by then is left alone. A run of an answering executor is never given up because of a single answer. The actor itself
/// ends no run: it reports the result 500, and the store's compare-and-set decides.
class lost_monitor_state {
public:
  static inline const char* name = "ringmaster.lost_monitor";

  lost_monitor_state(protocol::lost_monitor::pointer self, lost_partners partners, lost_settings settings,
                     protocol::wall_clock clock, logger log);
  protocol::lost_monitor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using phase = watched_run::phase;
  /// Delay before a request that the store did not answer is repeated.
  static constexpr std::chrono::milliseconds store_retry{5'000};
  struct executor_says {
    bool reached = false;
    std::int32_t idle_code = 0;
    core::unknown_verdict log = core::unknown_verdict::cannot_tell;
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void tick();
  void arm();
  void go_on();

  // -- executors under suspicion
  void know(std::shared_ptr<const protocol::registry_view> view);
  void hear(const protocol::executor_update& update);
  void suspect(const std::string& address);
  void knock(const std::string& address);
  void knocked(const std::string& address, bool answered);
  void begin_search();
  void search_on();
  void search_failed();
  void name_silent();

  // -- old runs
  void begin_walk();
  void walk_on();
  void take(found_runs&& found);

  // -- one run, lost_asking.cpp
  void look();
  void looked(const std::vector<core::log_id>& asked, const core::result<std::vector<core::log_row>>& rows);
  void start_ready();
  void ask(watched_run& run);
  void answered(core::log_id id, const executor_says& says);
  [[nodiscard]] core::lost_evidence evidence_of(const watched_run& run, const executor_says& says);
  void conclude(watched_run& run, core::lost_verdict verdict, bool reached);
  [[nodiscard]] core::milliseconds age_of(const watched_run& run);
  void give_up(const watched_run& run, const char* why);
  void flush();

  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }
  [[nodiscard]] core::time_point now() { return clock_.at(steady_now()); }
  [[nodiscard]] std::chrono::milliseconds patience() const;

  protocol::lost_monitor::pointer self_;
  protocol::completion_actor completion_;
  protocol::trigger_pool pool_;
  leader_store<protocol::lost_monitor::pointer> store_;
  lost_settings settings_;
  protocol::wall_clock clock_;
  logger log_;

  bool alive_ = false;
  bool duty_ = false;
  steady next_tick_{};

  known_executors executors_;
  suspected_executors suspects_;
  /// The store is being asked which silent executors have open runs.
  bool naming_ = false;
  returned_executors returned_;
  lost_walk walk_;
  open_runs runs_;
  /// Rows of runs are being read.
  bool looking_ = false;
  /// Executors that did not answer: they are not asked before this time.
  std::unordered_map<std::string, steady> silent_until_;
  std::vector<core::callback> lost_;

  caf::telemetry::int_counter* lost_count_;
};

} // namespace ringmaster::actors
