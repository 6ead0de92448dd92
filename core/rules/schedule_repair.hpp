#pragma once

// Repair of the times of a job, for both backends.

#include <string>
#include <vector>

#include "core/schedule/schedule_check.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

struct repaired_times {
  counted_again times;
  /// Lines for the audit log.
  std::vector<std::string> changes;
};

/// Errors: `invalid_argument` for a schedule that cannot be planned.
[[nodiscard]] result<repaired_times> repair_times(const scheduled_job& job, time_point now, const zone& where);

} // namespace ringmaster::core
