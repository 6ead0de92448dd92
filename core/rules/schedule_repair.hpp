#pragma once

// Repair of the times of a job, for both backends.

#include <string>
#include <vector>

#include "core/rules/job_columns.hpp"
#include "core/schedule/schedule_check.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

struct repaired_times {
  counted_again times;
  /// Lines for the audit log.
  std::vector<audit_line> changes;
};

/// Returns the times of a job that counts from `now` again. `where`: the zone of the audit log.
[[nodiscard]] inline repaired_times repair_times(const stored_times& job, const schedule& rule, time_point now,
                                                 const zone& where) {
  repaired_times out{count_again(job, rule, now), {}};
  const auto text = [&where](std::optional<time_point> t) { return t ? where.format(*t) : std::string{}; };
  if (out.times.next != job.next)
    out.changes.push_back(difference("next_time", text(job.next), text(out.times.next)));
  if (out.times.last != job.last)
    out.changes.push_back(difference("last_time", text(job.last), text(out.times.last)));
  return out;
}

/// Errors: `invalid_argument` for a schedule that cannot be planned.
[[nodiscard]] inline result<repaired_times> repair_times(const scheduled_job& job, time_point now, const zone& where) {
  const auto rule = schedule_rules{where}.of(*job.spec);
  if (!rule)
    return tl::unexpected{rule.error()};
  return repair_times(times_of(job), **rule, now, where);
}

} // namespace ringmaster::core
