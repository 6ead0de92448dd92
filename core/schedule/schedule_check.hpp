#pragma once

// Times of jobs that their own schedules do not explain: what a clock that was wrong for a moment leaves behind. Pure.

#include <optional>

#include "core/job/job.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// At least this much tolerance, whatever the settings say: claims are made a little ahead of their instants, reservations beside
/// Java admins 6 s ahead.
inline constexpr milliseconds schedule_tolerance_min = implausibly_ahead;

/// A job that fires later than its schedule says, or would after a stop and a start.
struct far_ahead {
  job_id job{};
  /// Nothing: it is the last claimed instant alone that lies ahead.
  std::optional<time_point> next;
  time_point last{};
  /// The first instant that its schedule has after now; nothing: none.
  std::optional<time_point> expected;
};

/// Nothing when the times fit: the next time is not later than the first instant after `now` + `tolerance`, and the last claimed
/// instant is not later than that moment. `rule` is the job's.
[[nodiscard]] std::optional<far_ahead> check_times(const scheduled_job& job, const schedule& rule, time_point now,
                                                   milliseconds tolerance);

/// The times of a job that counts from `now` again. A last instant that lies implausibly ahead becomes `now`; another one stays,
/// and nothing before it comes again.
struct counted_again {
  std::optional<time_point> next;
  time_point last{};
};
[[nodiscard]] counted_again count_again(const scheduled_job& job, const schedule& rule, time_point now);

} // namespace ringmaster::core
