#include "core/schedule/schedule_check.hpp"

#include <algorithm>

namespace ringmaster::core {

std::optional<far_ahead> check_times(const scheduled_job& job, const schedule& rule, time_point now, milliseconds tolerance) {
  const auto latest = now + std::max(tolerance, schedule_tolerance_min);
  bool late = job.next && *job.next > latest;
  if (late) {
    const auto bound = rule.next(latest, job.spec->id);
    late = !bound || *job.next > *bound;
  }
  if (!late && job.last <= latest)
    return std::nullopt;
  return far_ahead{job.spec->id, late ? job.next : std::nullopt, job.last, rule.next(now, job.spec->id)};
}

counted_again count_again(const scheduled_job& job, const schedule& rule, time_point now) {
  // A claim is made slightly before its instant, which must not be repeated.
  const auto last = lies_implausibly_ahead(job.last, now) ? now : job.last;
  return {job.next ? rule.next(search_from(now, job.last), job.spec->id) : std::nullopt, last};
}

} // namespace ringmaster::core
