#pragma once

// Forms of XXL's endpoints (XXL admin §8.6-§8.10), converted to core's types. The names of either dialect are accepted in both. A
// value that is not a number where one is required is `invalid_argument` and names the parameter. Pure; any thread.

#include "core/access/user.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/job_draft.hpp"
#include "core/page.hpp"
#include "core/result.hpp"
#include "core/run/run_search.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/xxl/dialect.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::protocol::wire {

/// Reads `start` and `length`, or `offset` and `pagesize`; 0 and 10 when absent. Values outside of every list are clamped.
[[nodiscard]] core::result<core::page_window> window_of(const form& sent);

/// Reads the form of `add`, `insert` and `update`: absent numbers are 0, the handler is trimmed, the source of a shell script
/// loses its carriage returns, the list of children the commas at its end; other values stay as sent.
[[nodiscard]] core::result<core::job_draft> job_draft_of(const form& sent);
/// Reads a job search; `jobGroup` and `triggerStatus` are required.
[[nodiscard]] core::result<core::job_search> job_search_of(const form& sent);

/// Reads a run search; `jobGroup`, `jobId` and `logStatus` are required. `where`: the zone of `filterTime`. Up to 3.2 only the
/// job counts and an invalid time sets no limit; later the group must be the job's own, and such a time is an error.
[[nodiscard]] core::result<core::run_search> run_search_of(const form& sent, const core::zone& where, dialect which);
/// Reads a request to clear the log. `type` is one of nine, else the refusal is `clear_type_illegal`; months are calendar months
/// in `where`.
[[nodiscard]] core::result<core::clear_search> clear_search_of(const form& sent, const core::zone& where, core::time_point now);

[[nodiscard]] core::result<core::group_draft> group_draft_of(const form& sent);
[[nodiscard]] core::result<core::group_search> group_search_of(const form& sent);

/// Reads a user search; `role` is required.
[[nodiscard]] core::result<core::user_search> user_search_of(const form& sent);

} // namespace ringmaster::protocol::wire
