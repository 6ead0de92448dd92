#pragma once

// Results that wait on disk for an admin (XXL wire §3.3). Pure; any thread; no exception leaves it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::protocol::wire {

/// Returns a JSON array in the form that Java executors of 3.3 and later keep: each can read the other's files.
[[nodiscard]] std::string encode_stored_reports(std::span<const core::run_report> reports);

/// Reads either spelling of the date. Leaves out entries without a run's id. Errors: `invalid_argument` with the reason: not
/// JSON, not an array, no report in it.
[[nodiscard]] core::result<std::vector<core::run_report>> parse_stored_reports(std::string_view text);

} // namespace ringmaster::protocol::wire
