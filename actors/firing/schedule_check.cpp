// schedule_actor: a slow round through the jobs, for times that lie further ahead than their schedules allow. A clock that was
// wrong for a moment leaves such times, on this node or on one that is gone. They are only reported, not changed: `ringmaster
// repair schedules` corrects them.

#include "actors/firing/schedule_actor.hpp"

#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Small enough to block nothing.
constexpr std::size_t jobs_a_look = 200;
constexpr auto look_gap = 500ms;
/// From the end of a round to the beginning of the next.
constexpr auto round_gap_of_checks = 60s;

std::string shown_time(core::time_point t) { return core::zone{}.format(t) + " UTC"; }

} // namespace

void schedule_actor_state::check_times() {
  std::vector<core::far_ahead> found;
  check_from_ = book_.check_some(check_from_, jobs_a_look, now(), core::schedule_tolerance_min, found);
  for (const auto& job : found)
    if (!told_far_ahead_.contains(core::number(job.job)))
      log_->warn("job={} its {} lies further ahead than its schedule explains, so it does not fire: was a clock wrong? "
                 "`ringmaster repair schedules` recomputes it from now",
                 core::number(job.job),
                 job.next ? "next time " + shown_time(*job.next) : "last instant " + shown_time(job.last));
  std::move(found.begin(), found.end(), std::back_inserter(far_ahead_));
  next_check_ = steady_now() + (check_from_ == 0 ? steady::duration{round_gap_of_checks} : steady::duration{look_gap});
  if (check_from_ == 0)
    end_check_round();
}

void schedule_actor_state::end_check_round() {
  told_far_ahead_.clear();
  for (const auto& job : far_ahead_)
    told_far_ahead_.insert(core::number(job.job));
  far_ahead_count_->value(static_cast<std::int64_t>(told_far_ahead_.size()));
  far_ahead_.clear();
}

} // namespace ringmaster::actors
