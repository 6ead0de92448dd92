#pragma once

// Origin of a run, as far as its row tells it, and the runs that are related to it. Pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/run/log_row.hpp"
#include "core/run/noted_run.hpp"
#include "core/run/run.hpp"

namespace ringmaster::core {

/// Facts about the origin of a run. The text of a Java admin, and of runs alongside Java admins, tells the kind only.
struct run_origin {
  /// Unset: the trigger message has another form.
  std::optional<trigger_kind> kind = {};
  /// The run that it repeats, for a retry.
  std::optional<log_id> retry_of = {};
  /// The run that it follows, for a child.
  std::optional<log_id> parent = {};
  /// 1 for a run that repeats none. Unset for a retry, whose row does not tell it, and without a kind.
  std::optional<std::int32_t> attempt = {};
  /// Position in its broadcast; unset for any other run.
  std::optional<shard> part = {};
  /// The first instant for which a late run was sent; unset for any other run, and alongside Java admins.
  std::optional<time_point> instant = {};
  /// Number of further missed instants for which it was sent; set with `instant`. 0 also for runs of earlier releases.
  std::optional<std::size_t> merged = {};
};
[[nodiscard]] run_origin origin_of(const noted_run& run);
[[nodiscard]] run_origin origin_of(const log_row& run);

/// Returns the time from the trigger to the result; unset while there is none.
[[nodiscard]] std::optional<milliseconds> duration_of(const log_row& run);

/// Names beside runs: the present ones of jobs and groups, and those of users. What is gone or hidden from the user has none.
struct run_names {
  std::map<job_id, std::string> jobs = {};
  std::map<group_id, std::string> groups = {};
  /// Users who asked for manual runs.
  std::map<log_id, std::string> requesters = {};
};

/// The runs around one run.
struct related_runs {
  log_row run;
  /// The run that the first attempt follows.
  std::optional<log_row> parent = {};
  /// Runs of other jobs that follow this run; ascending.
  std::vector<log_row> children = {};
  /// The other attempts: those that this run repeats, directly or not, and those that repeat it; ascending.
  std::vector<log_row> retries = {};
  /// All runs of its broadcast with itself, by index; empty for any other run.
  std::vector<log_row> shards = {};
  /// Number of this run among the attempts; unset if an earlier one is not in the log any more.
  std::optional<std::int32_t> attempt = {};
  /// User who asked for the first attempt; empty: no user did, or an earlier release ran it.
  std::string by = {};
};

/// Returns all runs with `related.run`; a run may be there twice.
[[nodiscard]] std::vector<log_row> rows_of(const related_runs& related);

} // namespace ringmaster::core
