#pragma once

// Previews of schedules and counts of firings in /api/v1, the latter with or without a change of one schedule.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/forecast/firing_counts.hpp"
#include "core/forecast/schedule_notes.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/schedule/schedule_mistake.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

struct api_counts_request {
  std::optional<core::group_id> group;
  std::optional<core::job_id> job;
  core::counts_search search;
};
/// Reads `from_ms` (default: now, and never before), `to_ms` (default: a day later), `bucket_ms` (an hour), `group`, `job` and
/// `top` (20). Errors: `invalid_argument`.
[[nodiscard]] core::result<api_counts_request> api_counts_of(const form& sent, core::time_point now);

struct api_what_if {
  std::optional<core::group_id> group;
  core::counts_search search;
  core::changed_schedule change;
};
/// Reads a body with a schedule and the members above. The schedule is not checked. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_what_if> parse_api_what_if(std::string_view body, core::time_point now);

/// Returns the counts of the schedules as they are.
[[nodiscard]] std::string api_counts(const core::counts_report& report, const core::counts_search& search);
/// Returns the counts before and after the change.
[[nodiscard]] std::string api_counts_of_change(const core::counts_report& report, const core::counts_search& search);

/// The next instants of a schedule.
struct api_previewed {
  std::vector<core::time_point> times;
  /// Zone of the schedule.
  core::zone zone;
  /// The schedule as a sentence; may be empty.
  std::string words;
  std::vector<core::schedule_note> notes;
};
[[nodiscard]] std::string api_preview(const api_previewed& preview);

/// Returns one of the `errors` of a problem.
[[nodiscard]] std::string api_schedule_mistake(const core::schedule_mistake& wrong);

} // namespace ringmaster::protocol::wire
