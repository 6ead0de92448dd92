#pragma once

#include <memory>
#include <string>
#include <vector>

#include <caf/actor_clock.hpp>

#include "actors/executor/blocking_lane.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/taken_runs.hpp"
#include "core/run/trigger_request.hpp"
#include "protocol/executor_messages.hpp"

namespace ringmaster::actors {

/// Lines about results in the logs of their runs. Invariant: a run is removed from `taken_runs` once its result is safe (with an
/// admin or in a file) and its log file exists, which then detects copies of it; until the log exists, the run is closed. Part
/// of the state of callback_actor; the work is done on `lane`.
class report_logs {
public:
  using report_list = std::vector<core::run_report>;
  using steady = caf::actor_clock::time_point;

  /// Log lines that wait for a thread; more are lost.
  static constexpr std::size_t log_work_max = 1'000;

  report_logs(blocking_lane& lane, std::shared_ptr<job_logs> logs, std::shared_ptr<taken_runs> runs)
    : lane_{lane}, logs_{std::move(logs)}, runs_{std::move(runs)} {}

  /// Writes about a result of a run that an earlier process left open.
  void tell_left(const core::run_report& report);
  /// Writes the answer of the admins. If they accepted, the results are safe.
  void tell_answer(const report_list& of, const protocol::admin_answer& answer);
  /// Records that the results are safe.
  void note_safe(const report_list& of) { write(of, {}, true); }

  /// Creates the logs of some closed runs, if it is time and nothing else waits for a thread.
  void make_missing(steady t);
  /// Returns whether there may be closed runs without logs.
  [[nodiscard]] bool are_missing() const noexcept { return missing_; }

private:
  void write(const report_list& of, std::string lines, bool are_safe);

  blocking_lane& lane_;
  std::shared_ptr<job_logs> logs_;
  std::shared_ptr<taken_runs> runs_;
  bool missing_ = true;
  steady retry_at_{};
};

} // namespace ringmaster::actors
