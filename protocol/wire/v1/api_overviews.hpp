#pragma once

// The search over all kinds of objects, and the timeline of a job, in /api/v1. Errors of all functions that read:
// `invalid_argument`.

#include <string>

#include "core/editing/object_search.hpp"
#include "core/forecast/job_timeline.hpp"
#include "core/result.hpp"
#include "core/run/run_origin.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

/// Reads `q` and `limit`.
[[nodiscard]] core::result<core::object_search> api_object_search_of(const form& sent);
/// Returns a JSON object.
[[nodiscard]] std::string api_found_objects(const core::found_objects& found, const core::run_names& names);

/// Reads `from_ms` (default: a day ago), `to_ms` (default: 12 hours ahead) and `limit`.
[[nodiscard]] core::result<core::timeline_search> api_timeline_search_of(const form& sent, core::job_id job,
                                                                          core::time_point now);
/// Returns a JSON object.
[[nodiscard]] std::string api_timeline(const core::job_timeline& timeline, const core::timeline_search& search,
                                       const core::run_names& names);

} // namespace ringmaster::protocol::wire
