#pragma once

// Alarm settings of some jobs as stored. They are read where a failure is decided or reported: jobs in memory do not carry them,
// and an edit counts from its commit on.

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"

namespace ringmaster::storage {

class alarm_book {
public:
  void add(core::job_id job, core::alarmed_job about) { jobs_.insert_or_assign(job, std::move(about)); }

  /// Returns whether a failure needs an alarm. A job that does not exist never needs one.
  [[nodiscard]] bool needs(core::job_id job, bool will_be_retried,
                           core::alarm_reason why = core::alarm_reason::failed) const {
    const auto found = jobs_.find(job);
    return found != jobs_.end() && found->second.requested.has(why)
           && core::needs_alarm(found->second.alarm_email, rule_of(found->second), will_be_retried);
  }

  /// Returns the status that a failed run gets with its retry decision.
  [[nodiscard]] std::int32_t status(core::job_id job, bool will_be_retried,
                                    core::alarm_reason why = core::alarm_reason::failed) const {
    return needs(job, will_be_retried, why) ? core::alarm_status::claimed : core::alarm_status::not_needed;
  }

  [[nodiscard]] std::optional<core::alarmed_job> find(core::job_id job) const {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? std::nullopt : std::optional{found->second};
  }

private:
  static const core::alarm_rule* rule_of(const core::alarmed_job& about) { return about.rule ? &*about.rule : nullptr; }

  std::map<core::job_id, core::alarmed_job> jobs_;
};

/// Values of `rm_intent.state` for an alarm.
inline constexpr int alarm_waits = 2;
inline constexpr int alarm_taken = 3;

/// Returns the kind of an alarm, stored in `rm_intent.shard`.
[[nodiscard]] inline core::alarm_kind alarm_kind_of(std::int32_t shard) noexcept {
  return shard == 1 ? core::alarm_kind::recovery : core::alarm_kind::failure;
}

/// Time during which alarms of jobs that other nodes plan are left to those nodes.
inline constexpr std::chrono::seconds alarm_affinity{10};
/// Age after which the sweep reports a failed run although another process has claimed it.
inline constexpr std::chrono::minutes alarm_claim_over{10};
/// Age limit of failures: older ones are neither reported nor retried.
inline constexpr std::chrono::hours failure_age_max{24};

/// Progress of the sweep for failures, in one store.
struct failure_progress {
  bool started = false;
  /// Every run up to this one was checked.
  core::log_id swept{};
  /// Every run up to this one is committed: the newest run seen some seconds ago.
  core::log_id settled{};
  core::log_id seen{};
  core::time_point seen_at{};
  /// Runs up to `swept` that are to be checked again, in turn.
  std::deque<core::log_id> open;
};

/// Time after which no open transaction owns ids below the newest run seen.
inline constexpr std::chrono::seconds failure_settle{5};
inline constexpr std::int64_t failure_ids_per_sweep = 20'000;
inline constexpr std::size_t open_runs_max = 50'000;
inline constexpr std::size_t open_runs_per_sweep = 2'000;

/// Notes the newest run. The run that was the newest some seconds ago becomes settled.
inline void settle(failure_progress& progress, core::log_id newest, core::time_point now) {
  if (now < progress.seen_at + failure_settle)
    return;
  progress.settled = progress.seen;
  progress.seen = newest;
  progress.seen_at = now;
}

/// Takes the next open runs out of the queue. Runs that are still open are put back by `keep_open`.
[[nodiscard]] inline std::vector<core::log_id> take_open(failure_progress& progress) {
  const auto count = std::min(open_runs_per_sweep, progress.open.size());
  std::vector<core::log_id> out{progress.open.begin(), progress.open.begin() + static_cast<std::ptrdiff_t>(count)};
  progress.open.erase(progress.open.begin(), progress.open.begin() + static_cast<std::ptrdiff_t>(count));
  return out;
}

/// Appends a run to the queue. A full queue drops its oldest run.
inline void keep_open(failure_progress& progress, core::log_id run) {
  if (progress.open.size() >= open_runs_max)
    progress.open.pop_front();
  progress.open.push_back(run);
}

} // namespace ringmaster::storage
