#include "core/maintenance/day_counter.hpp"

#include <algorithm>

namespace ringmaster::core {

day_bounds days_around(time_point now, const zone& where) {
  const auto today = std::chrono::floor<std::chrono::days>(where.to_local(now));
  day_bounds bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const local_time midnight{today + std::chrono::days{static_cast<int>(i) - 2}};
    bounds[i] = where.to_instant(where.end_of_gap(midnight)).value_or(now);
  }
  return bounds;
}

void day_counter::begin_pass(log_id newest, log_id settled) {
  newest_ = std::max(newest_, number(newest));
  settled_ = std::max(settled_, number(settled));
  todo_.clear();
  if (newest_ <= first_)
    return;
  stretches_.resize(static_cast<std::size_t>((newest_ - first_ + stretch_ids - 1) / stretch_ids));
  // Always counts the last two stretches, where rows change; of the others some, in rotation.
  const auto recent = stretches_.size() < 2 ? 0 : stretches_.size() - 2;
  std::size_t again = 0;
  std::size_t last_again = again_from_;
  for (std::size_t i = 0; i < recent && again < recounts_max; ++i) {
    const auto at = (again_from_ + i) % recent;
    if (stretches_[at].counted && !stretches_[at].closed) {
      todo_.push_back(at);
      last_again = at + 1;
      ++again;
    }
  }
  again_from_ = recent == 0 ? 0 : last_again % recent;
  for (std::size_t i = 0; i < stretches_.size(); ++i)
    if (!stretches_[i].counted || (i >= recent && !stretches_[i].closed))
      todo_.push_back(i);
}

log_range day_counter::range_of(std::size_t index) const {
  const auto after = first_ + static_cast<std::int64_t>(index) * stretch_ids;
  return {log_id{after}, log_id{std::min(after + stretch_ids, newest_)}};
}

std::optional<log_range> day_counter::next() const {
  return todo_.empty() ? std::nullopt : std::optional{range_of(todo_.front())};
}

void day_counter::counted(const day_counts& counts) {
  if (todo_.empty())
    return;
  const auto index = todo_.front();
  todo_.pop_front();
  auto& of = stretches_[index];
  const auto range = range_of(index);
  std::int64_t running = 0;
  for (std::size_t day = 0; day < report_days; ++day) {
    totals_[day].total += counts[day].total - of.counts[day].total;
    totals_[day].running += counts[day].running - of.counts[day].running;
    totals_[day].succeeded += counts[day].succeeded - of.counts[day].succeeded;
    running += counts[day].running;
  }
  of.counts = counts;
  of.counted = true;
  const auto full = number(range.through) - number(range.after) == stretch_ids;
  of.closed = full && running == 0 && number(range.through) <= settled_;
}

} // namespace ringmaster::core
