#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <caf/telemetry/counter.hpp>

#include "actors/logger.hpp"
#include "actors/maintenance/fetch_counts.hpp"
#include "actors/maintenance/kept_log_limit.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "actors/maintenance/pending_logs.hpp"
#include "actors/maintenance/refused_texts.hpp"
#include "actors/maintenance/remembered_runs.hpp"
#include "actors/maintenance/silent_executors.hpp"
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
  void stored(const fetching_ptr& work, std::size_t bytes, const core::result<bool>& kept);
  void give_up(const std::vector<core::pending_log>& runs, const std::string& why);
  /// Ends the work on the run, which may be found again.
  void done(const fetching_ptr& work);
  void release(const fetching_ptr& work);

  [[nodiscard]] steady now() const { return self_->clock().now(); }

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
  pending_logs pending_{looked_at};
  fetch_counts fetches_{{.total = fetches_max, .of_one = fetches_of_one_max, .doubtful = doubtful_max}};
  silent_executors silent_;
  /// Runs whose logs could not be fetched once.
  remembered_runs failed_;
  refused_texts refused_;

  caf::telemetry::int_counter* kept_;
  caf::telemetry::int_counter* given_up_;
  kept_log_limit size_limit_;
};

} // namespace ringmaster::actors
