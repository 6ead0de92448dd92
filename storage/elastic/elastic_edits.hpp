#pragma once

// Parts of E11 and E12. All run inside an edit that `admin_session::begin_edit` has begun.

#include <optional>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "core/elastic/store_ops.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Returns the job, locked until the end of the transaction. Errors: `not_found`; `forbidden` without the right in its group.
[[nodiscard]] core::result<core::elastic::elastic_job_row> hold_elastic_job(admin_session& own, core::elastic::elastic_job_id job,
                                                                            core::group_right wanted,
                                                                            const core::principal& by);

/// Takes a revision and stores it as that of the job's last edit.
std::int64_t note_elastic_edit(admin_session& own, core::elastic::elastic_job_id job);

/// Returns the next instant of the definition after `after`; unset: never. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::optional<core::time_point>> next_instant(const core::zone& where,
                                                                         const core::elastic::elastic_definition& of,
                                                                         core::elastic::elastic_job_id job,
                                                                         core::time_point after);

/// Writes the row of the audit log.
void audit_elastic(admin_session& own, const core::principal& by, core::audit_action action,
                   core::elastic::elastic_job_id job, std::string_view name, const std::vector<core::audit_line>& lines,
                   core::time_point now);

} // namespace ringmaster::storage
