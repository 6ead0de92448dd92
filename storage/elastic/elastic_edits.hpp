#pragma once

// Parts of E11 and E12. All run inside an edit that `admin_session::begin_edit` has begun.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/schedule/schedule_check.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Returns the job, locked until the end of the transaction. Errors: `not_found`; `forbidden` without the right in its group.
[[nodiscard]] core::result<core::elastic::elastic_job_row> hold_elastic_job(admin_session& own, core::elastic::elastic_job_id job,
                                                                            core::group_right wanted,
                                                                            const core::principal& by);

/// Does E11 for a declared file; the audit log names its source. Errors: as `elastic_store::put`.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> put_applied(admin_session& own,
                                                                         const core::elastic::elastic_edit& edit,
                                                                         core::time_point now, const core::principal& by);

/// Removes a job that the transaction has locked. `source`: name of the source whose declared files remove it; null: a user
/// removes it. Errors: `conflict` while an item is open or wanted.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> remove_held(admin_session& own,
                                                                         const core::elastic::elastic_job_row& was,
                                                                         const core::principal& by, const std::string* source,
                                                                         core::time_point now);

/// Does E12 `set_status` on a job that the transaction has locked.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> switch_status(admin_session& own,
                                                                           core::elastic::elastic_job_row held,
                                                                           core::elastic::job_status status,
                                                                           core::time_point now, const core::principal& by);

/// Returns the lines of an apply in the audit log: its source, the kind of change, the changed fields.
[[nodiscard]] std::vector<core::audit_line> applied_lines(const std::string& source, std::string_view kind,
                                                          const std::vector<core::audit_line>& fields);

/// Checks the id or IP address of a host, as a user wrote it. Errors: `invalid_argument`.
[[nodiscard]] core::result<void> check_server(const std::string& server);

/// Takes a revision and stores it as that of the job's last edit.
std::int64_t note_elastic_edit(admin_session& own, core::elastic::elastic_job_id job);

/// Compiles the schedule of a definition. `where`: the zone of definitions that name none. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::schedule_rules::rule> rule_of(const core::zone& where,
                                                               const core::elastic::elastic_definition& of);

/// Returns the times of a job whose definition `of` counts from `now` or from its last instant, whichever is later. A last
/// instant that only a wrong clock can have written becomes `now`. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::counted_again> times_from(const core::zone& where, const core::elastic::elastic_definition& of,
                                                           core::elastic::elastic_job_id job, core::time_point last,
                                                           core::time_point now);

/// Stores the times of a job's schedule.
void store_times(admin_session& own, core::elastic::elastic_job_id job, const core::counted_again& times);

/// Writes the row of the audit log.
void audit_elastic(admin_session& own, const core::principal& by, core::audit_action action,
                   core::elastic::elastic_job_id job, std::string_view name, const std::vector<core::audit_line>& lines,
                   core::time_point now);

} // namespace ringmaster::storage
