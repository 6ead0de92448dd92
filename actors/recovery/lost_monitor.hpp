#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/logger.hpp"
#include "actors/recovery/open_runs.hpp"
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

  /// Maximum of executors under suspicion; beyond it, the walk finds their runs when they are old.
  static constexpr std::size_t suspects_max = 10'000;
  /// Maximum of suspects that are asked at once whether they are alive.
  static constexpr std::size_t handshakes_max = 64;

  lost_monitor_state(protocol::lost_monitor::pointer self, lost_partners partners, lost_settings settings,
                     protocol::wall_clock clock, logger log);
  protocol::lost_monitor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using phase = watched_run::phase;
  /// Delay before a request that the store did not answer is repeated.
  static constexpr std::chrono::milliseconds store_retry{5'000};
  /// Executor that may have died.
  struct suspect {
    steady first{};
    /// Last time of a sign that it may have died.
    steady since{};
    steady next_knock{};
    core::milliseconds wait{0};
    bool knocking = false;
    /// For the log: it was checked whether it left runs open.
    bool named = false;
  };
  struct found_runs {
    core::open_page page;
    std::unordered_map<core::job_id, std::chrono::seconds> timeouts;
  };
  struct executor_says {
    bool reached = false;
    std::int32_t idle_code = 0;
    core::unknown_verdict log = core::unknown_verdict::cannot_tell;
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void know(std::shared_ptr<const protocol::registry_view> view);
  void hear(const protocol::executor_update& update);
  void tick();
  void arm();
  void go_on();

  // -- executors under suspicion, lost_suspects.cpp
  void suspect_it(const std::string& address);
  void knock();
  void knocked(const std::string& address, bool answered);
  void begin_search();
  void search_on();
  void name_silent();

  // -- old runs
  void begin_walk();
  void walk_on();
  void walked(core::result<found_runs>&& found);
  void end_walk();
  [[nodiscard]] static core::result<found_runs> search(storage::store& store, const core::open_search& search);
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

  /// Asks the store; drops the answer if the task ended or began again meanwhile.
  template <class T, class UseCase, class Then>
  void query(UseCase use_case, Then then);
  [[nodiscard]] steady steady_now() const { return self_->clock().now(); }
  [[nodiscard]] core::time_point now() { return clock_.at(steady_now()); }
  [[nodiscard]] std::chrono::milliseconds patience() const;

  protocol::lost_monitor::pointer self_;
  lost_partners partners_;
  lost_settings settings_;
  protocol::wall_clock clock_;
  logger log_;

  bool alive_ = false;
  bool first_slot_ = false;
  bool duty_ = false;
  /// Number of times that the leader task began or ended.
  std::uint64_t epoch_ = 0;
  steady next_tick_{};

  std::shared_ptr<const protocol::registry_view> view_ = std::make_shared<protocol::registry_view>();
  /// Addresses of the view.
  std::unordered_set<std::string> listed_;
  /// Addresses that were in an automatic group at some time of this process.
  std::unordered_set<std::string> once_registered_;

  std::map<std::string, suspect> suspects_;
  std::size_t knocking_ = 0;
  bool naming_ = false;
  /// Executors that answered; their open runs are to be found.
  std::unordered_set<std::string> returned_;
  /// The search under way for open runs of some of them.
  std::optional<core::open_search> search_;
  bool searching_ = false;

  bool walking_ = false;
  std::optional<core::log_range> walk_;
  /// No run up to this id is open.
  core::log_id low_water_{};
  std::optional<core::log_id> oldest_open_;
  steady walk_began_{};
  steady next_walk_{};

  open_runs runs_;
  bool looking_ = false;
  /// Executors that did not answer: they are not asked before this time.
  std::unordered_map<std::string, steady> silent_until_;
  std::vector<core::callback> lost_;

  caf::telemetry::int_counter* lost_count_;
};

} // namespace ringmaster::actors
