#pragma once

// The schedules that a job had, as its present row and the audit log tell. Pure.

#include <string>
#include <vector>

#include "core/editing/audit.hpp"
#include "core/editing/job_draft.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// A time in which a job had one schedule.
struct schedule_era {
  time_point from{};
  /// Exclusive.
  time_point until{};
  schedule_type type = schedule_type::none;
  std::string conf;
  schedule_options timing;
  /// Users or files had stopped the job. False: it ran, or that is not known.
  bool stopped = false;
};

/// Facts for `eras_of`.
struct schedule_facts {
  const job_record& job;
  /// Changes of the job, newest first; all from `complete_from` on.
  const std::vector<audit_row>& edits;
  time_point complete_from{};
};

/// Returns the eras from `from` to `until`, newest first and without gaps. They end at the first time before which a schedule is
/// not known: at an edit that the audit log does not have or does not tell in full.
[[nodiscard]] std::vector<schedule_era> eras_of(const schedule_facts& facts, time_point from, time_point until);

/// Returns the names of the changed fields, as the change tells them; none for a start or a stop.
[[nodiscard]] std::vector<std::string> changed_fields(const audit_row& edit);

} // namespace ringmaster::core
