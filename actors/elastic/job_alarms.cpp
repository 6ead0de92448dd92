#include "actors/elastic/job_alarms.hpp"

#include <algorithm>

namespace ringmaster::actors {

namespace {

using core::elastic::alarm_cause;
using core::elastic::raised_alarm;
using core::elastic::whole_job;

} // namespace

bool job_alarms::ends(item_number item) {
  const auto ended = alarmed_.erase(item) + alarmed_.erase(whole_job);
  return ended > 0;
}

job_alarms::raised job_alarms::fired(core::time_point since, bool dropped, core::time_point wall) {
  const auto late = wall - since;
  if (!dropped && late <= limits_.late_after)
    return std::nullopt;
  note(whole_job);
  return raised_alarm{dropped ? alarm_cause::dropped : alarm_cause::late, whole_job, {}, since, late.count(), wall};
}

job_alarms::raised job_alarms::unassigned(std::size_t items, bool final, core::time_point wall) {
  if (items == 0)
    unassigned_raised_ = false;
  if (items == 0 || !final || std::exchange(unassigned_raised_, true))
    return std::nullopt;
  note(whole_job);
  return raised_alarm{alarm_cause::unassigned, whole_job, {}, {}, static_cast<std::int64_t>(items), wall};
}

job_alarms::raised job_alarms::waited(item_number item, std::size_t items, core::time_point wall) {
  if (waiting_raised_ >= waiting_items_max)
    return std::nullopt;
  ++waiting_raised_;
  note(item);
  return raised_alarm{alarm_cause::waits, item, {}, {}, static_cast<std::int64_t>(items), wall};
}

job_alarms::raised job_alarms::taken_over(const core::elastic::host_process& from, job_moment at) {
  while (!lost_.empty() && lost_.front().at.now + limits_.takeover_window <= at.now)
    lost_.erase(lost_.begin());
  // One host that ends may have many items: that is one loss.
  if (limits_.takeover_limit == 0 ||
      std::any_of(lost_.begin(), lost_.end(), [&](const lost_host& each) { return each.host == from; }))
    return std::nullopt;
  lost_.push_back({from, at});
  if (lost_.size() < limits_.takeover_limit)
    return std::nullopt;
  const raised_alarm out{
    alarm_cause::takeovers, whole_job, {}, lost_.front().at.wall, static_cast<std::int64_t>(lost_.size()), at.wall};
  lost_.clear();
  note(whole_job);
  return out;
}

} // namespace ringmaster::actors
