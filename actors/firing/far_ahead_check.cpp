#include "actors/firing/far_ahead_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Small enough to block nothing.
constexpr std::size_t jobs_a_look = 200;
constexpr auto look_gap = 500ms;
/// From the end of a round to the beginning of the next.
constexpr auto check_gap = 60s;

} // namespace

far_ahead_check::far_ahead_check(caf::actor_system& system, logger log)
  : log_{std::move(log)},
    count_{system.metrics().gauge_singleton("ringmaster", "jobs-far-ahead",
                                            "Jobs of this node with times further ahead than their schedules allow.")} {}

void far_ahead_check::look(const core::schedule_book& book, core::time_point now, steady t) {
  std::vector<core::far_ahead> found;
  from_ = book.check_some(from_, jobs_a_look, now, core::schedule_tolerance_min, found);
  for (const auto& job : found)
    if (!reported_.contains(core::number(job.job)))
      log_->warn("job={} {}", core::number(job.job), core::describe(job));
  std::move(found.begin(), found.end(), std::back_inserter(found_));
  next_ = t + (from_ == 0 ? steady::duration{check_gap} : steady::duration{look_gap});
  if (from_ == 0)
    end_round();
}

void far_ahead_check::end_round() {
  reported_.clear();
  for (const auto& job : found_)
    reported_.insert(core::number(job.job));
  count_->value(static_cast<std::int64_t>(reported_.size()));
  found_.clear();
}

void far_ahead_check::restart() {
  from_ = 0;
  next_ = {};
  found_.clear();
}

} // namespace ringmaster::actors
