#pragma once

// Repair of the times of a job, for both backends.

#include <string>
#include <vector>

#include "core/schedule/schedule_check.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::storage {

struct repaired_times {
  core::counted_again times;
  /// Lines for the audit log.
  std::vector<std::string> changes;
};

/// Errors: `invalid_argument` for a schedule that cannot be planned.
[[nodiscard]] core::result<repaired_times> repair_times(const core::scheduled_job& job, core::time_point now,
                                                        const core::zone& where);

} // namespace ringmaster::storage
