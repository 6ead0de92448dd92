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

/// Reads `12` or `pay-worker/settle`. Errors: `invalid_argument`.
[[nodiscard]] result<job_name> parse_job_name(std::string_view text);

/// A run by hand: an intent of kind `manual` or `api`.
struct manual_trigger {
  job_id job{};
  trigger_kind kind = trigger_kind::manual;
  /// Nothing: the job's own parameter.
  std::optional<std::string> param;
  /// Empty: the executors of the group.
  std::vector<std::string> addresses;
  /// A random number: repeating the same one makes no second run. Not 0.
  std::int64_t token = 0;
};

/// Splits at commas, trims, drops what is blank or named twice. `host:port/path` without a scheme is an address. Errors:
/// `invalid_argument` for an address that cannot be called or is longer than its column.
[[nodiscard]] result<std::vector<std::string>> parse_addresses(const std::vector<std::string>& texts);

/// What an edit by hand did.
struct job_edit {
  job_id job{};
  /// Nothing: not scheduled now.
  std::optional<time_point> next;
  /// Runs that were claimed before the edit and have not been sent yet, when the time to wait for them was over. Nothing: the
  /// store could not say.
  std::optional<std::size_t> on_their_way = 0;
};

/// Where the deletion of a job's log rows stands.
struct log_removal {
  std::size_t removed = 0;
  /// The next step goes on behind it; nothing: that was the last one.
  std::optional<log_id> after;
};

} // namespace ringmaster::core
