#include "storage/rules/schedule_repair.hpp"

#include "core/schedule/schedule_rules.hpp"
#include "storage/editing/job_columns.hpp"

namespace ringmaster::storage {

core::result<repaired_times> repair_times(const core::scheduled_job& job, core::time_point now, const core::zone& where) {
  const auto rule = core::schedule_rules{where}.of(*job.spec);
  if (!rule)
    return tl::unexpected{rule.error()};
  repaired_times out{core::count_again(job, **rule, now), {}};
  const auto text = [&where](std::optional<core::time_point> t) { return t ? where.format(*t) : std::string{}; };
  if (out.times.next != job.next)
    out.changes.push_back(difference("next_time", text(job.next), text(out.times.next)));
  if (out.times.last != job.last)
    out.changes.push_back(difference("last_time", text(job.last), text(out.times.last)));
  return out;
}

} // namespace ringmaster::storage
