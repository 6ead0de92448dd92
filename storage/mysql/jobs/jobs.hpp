#pragma once

#include <span>
#include <vector>

#include "core/job/job.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Returns those of the named jobs that exist, in id order, as the present transaction (if any) sees them. Throws `driver_error`.
[[nodiscard]] std::vector<core::scheduled_job> select_jobs(session& own, std::span<const core::job_id> jobs);

} // namespace ringmaster::storage::mysql
