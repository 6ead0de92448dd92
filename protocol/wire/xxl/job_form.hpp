#pragma once

// What people send to XXL's endpoints (XXL admin §8.6-§8.10), as core knows it. Either age's names are taken in either dialect.
// What is no number where one must be is `invalid_argument` and names the parameter. Pure; any thread.

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

/// `start` and `length`, or `offset` and `pagesize`; 0 and 10 when absent. What lies outside of every list is moved into sense.
[[nodiscard]] core::result<core::page_window> window_of(const form& sent);

/// Of `add`, `insert` and `update`: absent numbers are 0, the handler is trimmed, the source of a shell script loses its carriage
/// returns, the list of children the commas at its end; the rest is as it was sent.
[[nodiscard]] core::result<core::job_draft> job_draft_of(const form& sent);
/// `jobGroup` and `triggerStatus` must be there.
[[nodiscard]] core::result<core::job_search> job_search_of(const form& sent);

/// `jobGroup`, `jobId` and `logStatus` must be there. `where`: the zone of `filterTime`. Up to 3.2 a job alone counts and a time
/// that is none bounds nothing; later the group must be the job's own, and such a time is an error.
[[nodiscard]] core::result<core::run_search> run_search_of(const form& sent, const core::zone& where, dialect which);
/// `type` is one of nine, else the refusal is `clear_type_illegal`; months are those of the calendar in `where`.
[[nodiscard]] core::result<core::clear_search> clear_search_of(const form& sent, const core::zone& where, core::time_point now);

[[nodiscard]] core::result<core::group_draft> group_draft_of(const form& sent);
[[nodiscard]] core::result<core::group_search> group_search_of(const form& sent);

/// `role` must be there.
[[nodiscard]] core::result<core::user_search> user_search_of(const form& sent);

} // namespace ringmaster::protocol::wire
