#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/gauge.hpp>

#include "actors/logger.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"
#include "core/run/kept_log.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct keeper_partners {
  leader_workers store;
  protocol::trigger_pool pool;
};

/// Actor that copies logs of finished runs, so that they outlive their executors (job option `keep_logs`). Runs on the leader. If
/// two nodes act as leader for a moment, the store drops the second text of a run.
///
/// Runs whose logs are to be fetched are rows of the store, written with their results. The actor goes through them section by
/// section and fetches a few at once, fewer of one executor. An executor that does not answer is left alone for longer and
/// longer, and asked for another run each time, so that one missing log blocks no other. A run that ended more than `patience`
/// ago is then given up. The size of kept logs is limited, by run and in total: the oldest texts are dropped first.
class log_keeper_state {
public:
  static inline const char* name = "ringmaster.log_keeper";

  static constexpr std::size_t fetches_max = 16;
  static constexpr std::size_t fetches_of_one_max = 4;
  /// Limit of concurrent fetches from all executors that did not answer lately.
  static constexpr std::size_t doubtful_max = 8;
  /// Counted from the result, or from the time at which this node became leader.
  static constexpr std::chrono::minutes patience{10};
  /// Runs in one section of the search.
  static constexpr std::size_t looked_at = 1000;

  /// `limit`: longest wait for an executor, including its own time limits.
  log_keeper_state(protocol::log_keeper::pointer self, keeper_partners partners, config::retention_settings retention,
                   std::chrono::milliseconds limit, protocol::wall_clock clock, logger log);
  protocol::log_keeper::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  /// Log that is being fetched.
  struct fetching {
    core::pending_log run;
    /// Its executor did not answer lately.
    bool doubtful = false;
    steady until{};
    protocol::executor_link link = {};
    std::int32_t from_line = 1;
    std::string text = {};
  };
  using fetching_ptr = std::shared_ptr<fetching>;

  /// Executor that did not answer.
  struct silence {
    int failures = 0;
    steady since{};
    steady until{};
    /// Run that failed last; later runs are tried first.
    core::log_id tried{};
  };

  enum class verdict : std::uint8_t {
    fetch,
    /// Retry as soon as one of the fetches under way is done.
    busy,
    later,
    hopeless
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void tick();
  void arm();

  // -- logs to fetch
  void look();
  void looked(core::result<std::vector<core::pending_log>>&& found);
  /// Goes through the waiting runs.
  void take();
  [[nodiscard]] verdict judge(const core::pending_log& run);
  [[nodiscard]] bool has_waited(const core::pending_log& run) const;
  void fetch(core::pending_log&& run);
  void ask_executor(const fetching_ptr& work);
  void answered(const fetching_ptr& work, protocol::log_reply&& reply);
  void failed(const fetching_ptr& work, const std::string& why);
  void cannot_be_had(const fetching_ptr& work, const std::string& why);
  void put(const fetching_ptr& work);
  void give_up(const std::vector<core::pending_log>& runs, const std::string& why);
  /// Ends the work on the run, which may be found again.
  void done(const fetching_ptr& work);
  void release(const fetching_ptr& work);

  // -- size limit
  void tidy();
  void measure();
  void drop_oldest();
  void remove_dropped();

  [[nodiscard]] steady now() const { return self_->clock().now(); }
  [[nodiscard]] bool is_too_much() const noexcept;

  protocol::log_keeper::pointer self_;
  leader_store<protocol::log_keeper::pointer> store_;
  protocol::trigger_pool pool_;
  config::retention_settings retention_;
  std::chrono::milliseconds limit_;
  protocol::wall_clock clock_;
  logger log_;

  bool alive_ = false;
  bool duty_ = false;
  core::time_point duty_since_{};
  steady next_tick_{};

  bool looking_ = false;
  steady next_look_{};
  /// Last run of the previous section.
  core::log_id after_{};
  /// Runs that were found and whose executor is busy with others.
  std::deque<core::pending_log> waiting_;
  /// Runs that wait here, and those that are being fetched, stored or given up.
  std::set<core::log_id> taken_;
  /// Fetches under way: in total, from doubtful executors, and by address.
  std::size_t under_way_ = 0;
  std::size_t doubtful_ = 0;
  std::map<std::string, std::size_t> busy_;
  std::map<std::string, silence> silent_;
  /// Runs whose logs could not be fetched once, and those whose texts the store refused.
  std::set<core::log_id> failed_;
  std::set<core::log_id> refused_;
  /// The store refused a text: until this time none is fetched.
  int store_failures_ = 0;
  steady store_until_{};

  bool tidying_ = false;
  /// There are dropped texts to remove.
  bool removing_ = false;
  /// `bytes_` was measured again for the present excess.
  bool has_measured_ = false;
  steady next_tidy_{};
  steady next_measure_{};
  std::int64_t bytes_ = 0;

  caf::telemetry::int_counter* kept_;
  caf::telemetry::int_counter* given_up_;
  caf::telemetry::int_gauge* shown_bytes_;
};

} // namespace ringmaster::actors
