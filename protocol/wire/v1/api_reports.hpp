#pragma once

// Figures of runs by day or hour in /api/v1.

#include <string>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"
#include "core/result.hpp"
#include "core/run/run_search.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// A request for figures.
struct api_report_request {
  core::report_search search;
  /// The figures are those of the daily report; otherwise runs of the log are counted.
  bool is_daily = true;
};

/// Reads `from_ms`, `to_ms`, `group`, `job` and `by`. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_report_request> api_report_search_of(const form& sent);

/// Returns `{"items":[…],"changed_ms":…}` with the local days or hours of `where`. `changed_ms`: the last change of the figures
/// of the daily report; null for figures that were counted from the log.
[[nodiscard]] std::string api_reports(const std::vector<core::day_report>& days, const core::zone& where, bool by_hour);

} // namespace ringmaster::protocol::wire
