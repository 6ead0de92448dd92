#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/job_thread.hpp"
#include "actors/executor/recent_runs.hpp"
#include "actors/executor/taken_runs.hpp"
#include "actors/logger.hpp"
#include "config/settings.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct host_tools {
  std::shared_ptr<body_source> bodies;
  std::shared_ptr<body_threads> threads;
  std::shared_ptr<job_logs> logs;
  std::shared_ptr<taken_runs> runs;
  protocol::callback_actor callbacks;
  std::shared_ptr<executor_counts> counts;
  config::executor_settings settings;
  logger log;
};

/// The entry point of an executor. Spawns a job_thread for a job's first run and ends it when it is quiet; one timer serves the
/// time limits of all jobs. Rejects a run that it has seen before: a run is in `taken_runs` until it has a log file, and both
/// outlive the process. Invariant: of two copies of a run at most one is accepted. A run that cannot be recorded is not accepted.
class executor_host_state {
public:
  static inline const char* name = "ringmaster.executor_host";

  static constexpr std::size_t recent_max = 100'000;
  /// Maximum number of logs read at a time.
  static constexpr std::size_t reads_max = 64;
  static constexpr std::chrono::milliseconds tick_period{100};
  /// Jobs without time limits are checked every this many ticks.
  static constexpr std::uint64_t slow_ticks = 10;
  /// Time limit for a reply of a job_thread, which never blocks.
  static constexpr std::chrono::seconds patience{10};
  /// Delay after the list of runs could not be extended.
  static constexpr std::chrono::seconds room_pause{5};
  /// Time limit for jobs to end after their stop was requested.
  static constexpr std::chrono::seconds stop_limit{5};
  static constexpr std::chrono::seconds flush_limit{10};

  executor_host_state(protocol::executor_host::pointer self, host_tools tools);
  executor_host_state(const executor_host_state&) = delete;
  executor_host_state& operator=(const executor_host_state&) = delete;
  /// Ends its job_threads.
  ~executor_host_state();
  protocol::executor_host::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using identities = std::unordered_multimap<core::log_id, core::run_identity>;

  struct job_entry {
    protocol::job_thread thread;
    std::shared_ptr<const run_body> held;
    std::uint64_t triggers = 0;
  };

  /// A batch until its last run is decided.
  struct open_batch {
    caf::typed_response_promise<protocol::trigger_replies> promise;
    std::vector<core::trigger_reply> replies;
    std::size_t open = 0;
  };

  enum class drain_step : std::uint8_t { none, waits, stops, flushes, done };

  caf::result<protocol::trigger_replies> trigger(protocol::trigger_batch&& batch);
  /// Decides on a request. Returns nullopt if the job_thread decides; then its reply goes to `at` of the batch.
  [[nodiscard]] std::optional<core::trigger_reply> decide(core::trigger_request&& request,
                                                          const std::shared_ptr<open_batch>& batch, std::size_t at);
  void hand_over(protocol::job_trigger&& asked, const std::shared_ptr<open_batch>& batch, std::size_t at);
  void decided(const std::shared_ptr<open_batch>& batch, std::size_t at, const core::run_identity& run,
               core::trigger_reply&& reply);
  job_entry& entry_of(core::job_id job);
  void make_room();

  caf::result<core::trigger_reply> kill(const protocol::kill_job& asked);
  caf::result<core::trigger_reply> is_idle(core::job_id job);
  [[nodiscard]] identities::const_iterator undecided(const core::run_identity& which) const;
  [[nodiscard]] core::trigger_reply knows(const protocol::taken_query& asked) const;
  caf::result<core::log_lines> read_log(const protocol::log_query& asked);
  [[nodiscard]] protocol::executor_state state() const;

  void quiet(const protocol::job_quiet& told);
  void lost(core::job_id job, const caf::actor_addr& thread, const caf::error& reason);
  void tick();
  void arm();

  caf::result<void> drain(std::chrono::milliseconds limit);
  void go_on_draining();
  void stop_jobs();
  void flush();

  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::executor_host::pointer self_;
  host_tools tools_;
  protocol::watcher watcher_;
  std::unordered_map<core::job_id, job_entry> jobs_;
  /// Jobs that had a run with a time limit.
  std::unordered_set<core::job_id> timed_;
  recent_runs recent_{recent_max};
  bool making_room_ = false;
  steady room_retry_at_{};
  /// Triggers awaiting the decision of a job_thread, and their runs.
  std::size_t undecided_ = 0;
  identities undecided_runs_;
  std::uint64_t runs_taken_ = 0;

  std::map<std::uint64_t, caf::typed_response_promise<core::log_lines>> reads_;
  std::uint64_t last_read_ = 0;

  std::uint64_t ticks_ = 0;
  bool armed_ = false;
  drain_step draining_ = drain_step::none;
  steady drain_until_{};
  std::vector<caf::typed_response_promise<void>> drained_;
};

} // namespace ringmaster::actors
