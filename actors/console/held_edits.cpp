#include "actors/console/held_edits.hpp"

#include <utility>

namespace ringmaster::actors {

bool held_edits::holds(core::job_id job) const {
  return std::any_of(held_.begin(), held_.end(), [job](const waiting& one) { return one.of.job.value_or(job) == job; });
}

bool held_edits::hold(item& one, steady now) {
  if (held_.size() >= held_max)
    return false;
  held_.push_back({std::move(one), now + wait_});
  return true;
}

std::vector<held_edits::released> held_edits::take(protocol::clock_verdict verdict, steady now) {
  std::vector<released> taken;
  for (auto& one : std::exchange(held_, {})) {
    const bool in_time = now < one.until;
    const bool is_next = !one.of.needs_verdict && one.of.job && !holds(*one.of.job);
    if (!in_time || verdict != protocol::clock_verdict::pending || is_next)
      taken.push_back({std::move(one.of.go_on), in_time});
    else
      held_.push_back(std::move(one));
  }
  return taken;
}

} // namespace ringmaster::actors
