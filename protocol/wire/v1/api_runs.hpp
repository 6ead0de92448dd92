#pragma once

// Runs, their logs and the daily figures in /api/v1. Errors of all functions that read: `invalid_argument`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/log_row.hpp"
#include "core/run/log_search.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/run_search.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Return a JSON object, and an array. Names that are missing in `names` are null.
[[nodiscard]] std::string api_run(const core::log_row& run, const core::run_names& names = {});
[[nodiscard]] std::string api_runs(const std::vector<core::log_row>& runs, const core::run_names& names = {});

/// Returns the newest run of a job in its shortest form.
[[nodiscard]] std::string api_last_run(const core::log_row& run);

/// Returns an array of runs in a short form.
[[nodiscard]] std::string api_short_runs(const std::vector<core::log_row>& runs, const core::run_names& names);

/// Returns the runs around one run, each in a short form.
[[nodiscard]] std::string api_related_runs(const core::related_runs& related, const core::run_names& names);

/// Part of a run's log; the next one begins after `to_line`.
struct api_log_part {
  core::log_id run{};
  std::int32_t from_line = 0;
  std::int32_t to_line = 0;
  std::string_view content = {};
  bool end = false;
  /// Part of the kept log, which outlives its executor.
  bool kept = false;
  /// There are lines after `to_line` already.
  bool more = false;
  /// Only the beginning of the last line.
  bool cut = false;
  /// Size of the whole log in bytes, and in lines; empty: unknown.
  std::optional<std::int64_t> bytes = {};
  std::optional<std::int32_t> lines = {};
  /// Reason why the rest is missing; empty: none.
  std::string_view partial_reason = {};
};
[[nodiscard]] std::string api_log(const api_log_part& part);

/// Returns the answer to a search in a log.
[[nodiscard]] std::string api_log_matches(const std::vector<core::log_match>& matches, std::int32_t scanned_to,
                                          std::optional<std::int32_t> next_line, std::string_view partial_reason);

/// Days are local days of `where`.
[[nodiscard]] std::string api_reports(const std::vector<core::day_report>& days, const core::zone& where);

/// Maximum number of `ids` in a request for a list.
inline constexpr std::size_t api_run_ids_max = 100;

/// Reads `group`, `job`, `status` (several with commas), `handler`, `from_ms`, `to_ms`, `after`; or `ids` alone.
[[nodiscard]] core::result<core::run_search> api_run_search_of(const form& sent, const api_cursor& from);

/// Reads the runs to remove: exactly one of `until_ms`, `keep_newest` and `all`: true.
[[nodiscard]] core::result<core::clear_search> parse_api_clear(std::string_view body);

} // namespace ringmaster::protocol::wire
