#pragma once

// Runs and their logs in /api/v1. Errors of all functions that read: `invalid_argument`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/log_row.hpp"
#include "core/run/log_search.hpp"
#include "core/run/run_log.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/run_search.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Return a JSON object, and an array. Names that are missing in `names` are null.
[[nodiscard]] std::string api_run(const core::log_row& run, const core::run_names& names = {});
[[nodiscard]] std::string api_runs(std::span<const core::log_row> runs, const core::run_names& names = {});

/// Returns a page of a list, of at most `limit` runs, with the time back to which the search went if it ended before the list.
/// `is_first`: the page has the total; later pages have none, because they count from their cursor.
[[nodiscard]] std::string api_run_page(const core::run_list& page, const core::run_names& names, std::size_t limit,
                                       bool is_first = true);

/// Returns the newest run of a job in its shortest form, with the reason of a failure as in a run.
[[nodiscard]] std::string api_last_run(const core::log_row& run);

/// Returns an array of runs in a short form.
[[nodiscard]] std::string api_short_runs(const std::vector<core::log_row>& runs, const core::run_names& names);

/// Returns the runs around one run, each in a short form.
[[nodiscard]] std::string api_related_runs(const core::related_runs& related, const core::run_names& names);

/// Returns a part of a log.
[[nodiscard]] std::string api_log(const core::run_log& part);

/// Returns the answer to a search in a log.
[[nodiscard]] std::string api_log_matches(const std::vector<core::log_match>& matches, std::int32_t scanned_to,
                                          std::optional<std::int32_t> next_line, std::string_view partial_reason);

/// Maximum number of `ids` in a request for a list.
inline constexpr std::size_t api_run_ids_max = 100;

/// Maximum size in bytes of a text that is searched in messages.
inline constexpr std::size_t api_run_words_max = 200;

/// Returns the status of a word, e.g. `timed_out`; empty: unknown word.
[[nodiscard]] std::optional<core::run_status> find_run_status(std::string_view name) noexcept;

/// Reads `group`, `job`, `status` and `kind` (several with commas), `handler`, `address`, `min_duration_ms`, `q`, `from_ms`,
/// `to_ms`, `after`; or `ids` alone.
[[nodiscard]] core::result<core::run_search> api_run_search_of(const form& sent, const api_cursor& from);

/// Reads the runs to remove: exactly one of `until_ms`, `keep_newest` and `all`: true.
[[nodiscard]] core::result<core::clear_search> parse_api_clear(std::string_view body);

} // namespace ringmaster::protocol::wire
