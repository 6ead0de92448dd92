#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "actors/executor/body_call.hpp"
#include "actors/executor/executor_counts.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/taken_runs.hpp"
#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Resources shared by all job_threads of an executor.
struct job_tools {
  std::shared_ptr<body_threads> threads;
  std::shared_ptr<job_logs> logs;
  std::shared_ptr<taken_runs> runs;
  protocol::callback_actor callbacks;
  std::shared_ptr<executor_counts> counts;
  /// Maximum number of waiting runs of one job.
  std::size_t queue_max = 10'000;
  std::chrono::milliseconds idle_limit{93'000};
  logger log;
};

/// One job of an executor (XXL wire §5). Owns its queue, its worker (the current body, from the hook before its first run to the
/// hook after its last) and the active run. executor_host triggers the checks of time limits and idleness.
///
/// Invariants: every accepted run is reported once, whatever its body does. A body whose run has ended stays known until it
/// returns, and its late result is dropped; the hook after the last run waits for all bodies of its worker.
class job_thread_state {
public:
  static inline const char* name = "ringmaster.job_thread";

  /// Maximum number of active bodies of one job: the current run, and runs that were stopped but continue. Beyond it the job's
  /// runs are refused, so that a job that ignores stops takes no threads from others.
  static constexpr std::size_t bodies_out_max = 16;

  job_thread_state(protocol::job_thread::pointer self, core::job_id job, protocol::job_listener host, job_tools tools);
  job_thread_state(const job_thread_state&) = delete;
  job_thread_state& operator=(const job_thread_state&) = delete;
  /// Removes this job from the counts, however the actor ended.
  ~job_thread_state();
  protocol::job_thread::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  struct worker {
    std::shared_ptr<worker_body> body;
    std::size_t bodies_out = 0;
    bool has_begun = false;
    bool has_ended = false;
  };
  using worker_ptr = std::shared_ptr<worker>;

  struct running_call {
    std::shared_ptr<body_call> call;
    std::uint64_t number = 0;
    /// Nullopt: no time limit.
    std::optional<steady> deadline;
  };

  core::trigger_reply trigger(protocol::job_trigger&& asked);
  [[nodiscard]] std::optional<core::trigger_reply> refusal(const core::trigger_request& request) const;
  bool stop(const std::string& reason);
  /// Returns false if there is no such run.
  bool stop_run(core::log_id run, const std::string& reason);
  void ended(protocol::body_ended&& body);
  void tick();

  void start_next();
  void run_late();
  /// Reports all unfinished runs of the worker as killed.
  void end_worker(std::string_view reason);
  /// Runs the last hook, once, when no body of the worker is active any more.
  void finish(const worker_ptr& of);
  void take_back(std::uint64_t number);
  void tell_quiet();
  void request_stop(const std::shared_ptr<body_call>& call, bool late);
  void report(std::vector<core::run_report>&& reports);
  void end_running();
  /// Returns whether a run with this id and second waits or runs.
  [[nodiscard]] bool has(const core::trigger_request& request) const;
  [[nodiscard]] bool busy() const noexcept { return running_ || !waiting_.empty(); }
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::job_thread::pointer self_;
  core::job_id job_;
  protocol::job_listener host_;
  job_tools tools_;

  worker_ptr worker_;
  std::deque<core::trigger_request> waiting_;
  /// Id and second of each run.
  std::set<std::pair<core::log_id, std::int64_t>> waiting_runs_;
  std::optional<running_call> running_;
  /// Bodies and last hooks (without a worker) that have not returned.
  std::map<std::uint64_t, worker_ptr> out_;
  std::uint64_t last_number_ = 0;
  /// No thread was available: none is requested until the next tick.
  bool no_thread_ = false;
  steady idle_since_{};
  std::uint64_t triggers_seen_ = 0;
  bool told_quiet_ = false;
};

} // namespace ringmaster::actors
