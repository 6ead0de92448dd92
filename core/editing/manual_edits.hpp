#pragma once

// Edits and runs that users ask for: names of jobs, manual triggers, and outcomes of edits.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// `12`, or group and key.
struct job_name {
  std::optional<job_id> id;
  std::string group = {};
  std::string key = {};
};

/// Parses `12` or `pay-worker/settle`. Errors: `invalid_argument`.
[[nodiscard]] result<job_name> parse_job_name(std::string_view text);

/// Request for a manual run: an intent of kind `manual` or `api`.
struct manual_trigger {
  job_id job{};
  trigger_kind kind = trigger_kind::manual;
  /// Unset: the job's own parameter.
  std::optional<std::string> param;
  /// Empty: the executors of the group.
  std::vector<std::string> addresses;
  /// Random number that is not 0: a repeated request with the same token creates no second run.
  std::int64_t token = 0;
};

/// Returns the token of the rerun of a run in a request with the token `request`: a number of its own for each run, and the same
/// one for a repeated request. 0 if `request` is 0.
[[nodiscard]] std::int64_t rerun_token(std::int64_t request, log_id run) noexcept;

/// Splits the texts at commas, trims the items, and drops blank and duplicate ones. `host:port/path` without a scheme is an
/// address. Errors: `invalid_argument` for an invalid address and for one that is longer than its column.
[[nodiscard]] result<std::vector<std::string>> parse_addresses(const std::vector<std::string>& texts);

/// Result of a manual edit.
struct job_edit {
  job_id job{};
  /// Unset: not scheduled now.
  std::optional<time_point> next;
  /// Number of runs that were claimed before the edit and not yet sent when the wait ended. Unset: the store could not tell.
  std::optional<std::size_t> on_their_way = 0;
  /// `source_tag` of a source that this edit stored; empty after any other edit.
  std::string source_tag = {};
};

/// The runs of a manual trigger so far.
struct asked_runs {
  /// Whether the intent is not claimed yet.
  bool waiting = false;
  /// One run, or one per shard.
  std::vector<log_id> runs;
};

/// Progress of the deletion of a job's log rows.
struct log_removal {
  std::size_t removed = 0;
  /// The next step continues after this id; unset after the last step.
  std::optional<log_id> after;
};

} // namespace ringmaster::core
