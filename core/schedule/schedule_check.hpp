#pragma once

// Times of jobs that do not match their schedules, as a temporarily wrong clock leaves them. Pure.

#include <algorithm>
#include <optional>
#include <string>

#include "core/job/job.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Minimum tolerance, regardless of the settings: claims are made slightly ahead of their instants, reservations alongside Java
/// admins 6 s ahead.
inline constexpr milliseconds schedule_tolerance_min = implausibly_ahead;

/// Times that are stored for a job: of any kind, an elastic job has its own number.
struct stored_times {
  job_id job{};
  std::optional<time_point> next;
  /// The last claimed or planned instant.
  time_point last{};
};
[[nodiscard]] inline stored_times times_of(const scheduled_job& job) { return {job.spec->id, job.next, job.last}; }

/// A job that fires later than its schedule says, or would do so after a stop and a start.
struct far_ahead {
  job_id job{};
  /// Unset if only the last claimed instant lies ahead.
  std::optional<time_point> next;
  time_point last{};
  /// The first instant of its schedule after now; unset: none.
  std::optional<time_point> expected;
};

/// Checks the times of a job; unset if they fit. They fit if the next time is not later than the first instant after `now` +
/// `tolerance`, and the last claimed instant is not later than that moment. `rule` is the job's.
[[nodiscard]] inline std::optional<far_ahead> check_times(const stored_times& job, const schedule& rule, time_point now,
                                                          milliseconds tolerance) {
  const auto latest = now + std::max(tolerance, schedule_tolerance_min);
  bool late = job.next && *job.next > latest;
  if (late) {
    const auto bound = rule.next(latest, job.job);
    late = !bound || *job.next > *bound;
  }
  if (!late && job.last <= latest)
    return std::nullopt;
  return far_ahead{job.job, late ? job.next : std::nullopt, job.last, rule.next(now, job.job)};
}

/// Returns a sentence for the log about a job that does not fire for this reason, without its name.
[[nodiscard]] std::string describe(const far_ahead& times);

/// The times of a job whose schedule counts from `now` again. A last instant that lies implausibly ahead becomes `now`; any other
/// one stays, and no instant before it is repeated.
struct counted_again {
  std::optional<time_point> next;
  time_point last{};
};
[[nodiscard]] inline counted_again count_again(const stored_times& job, const schedule& rule, time_point now) {
  // A claim is made slightly before its instant, which must not be repeated.
  const auto last = lies_implausibly_ahead(job.last, now) ? now : job.last;
  return {job.next ? rule.next(search_from(now, job.last), job.job) : std::nullopt, last};
}

} // namespace ringmaster::core
