#include "core/cluster/counter_history.hpp"

#include <algorithm>

namespace ringmaster::core {

counter_history::counter_history(steady at, time_point wall, const counter_totals& totals)
  : newest_at_{at}, newest_wall_{wall} {
  ring_[0] = totals;
}

void counter_history::put(const counter_totals& totals) {
  newest_ = (newest_ + 1) % ring_.size();
  ring_[newest_] = totals;
  count_ = std::min(count_ + 1, ring_.size());
}

void counter_history::add(steady at, time_point wall, const counter_totals& totals) {
  const auto passed = (at - newest_at_) / step;
  if (passed <= 0)
    return;
  const auto missed = std::min<std::int64_t>(passed - 1, static_cast<std::int64_t>(steps));
  for (std::int64_t i = 0; i < missed; ++i)
    put(ring_[newest_]);
  put(totals);
  newest_at_ += passed * step;
  newest_wall_ = wall;
}

const counter_totals& counter_history::before(std::size_t age) const {
  return ring_[(newest_ + ring_.size() - age) % ring_.size()];
}

count_series counter_history::series() const {
  const auto ended = count_ - 1;
  count_series out;
  out.from = newest_wall_ - step * static_cast<std::int64_t>(ended);
  out.fired.reserve(ended);
  out.failed.reserve(ended);
  for (auto age = ended; age > 0; --age) {
    const auto &begin = before(age), &end = before(age - 1);
    out.fired.push_back(end.fired - begin.fired);
    out.failed.push_back(end.failed - begin.failed);
  }
  return out;
}

lateness_counts counter_history::lateness(const counter_totals& now) const {
  const auto& oldest = before(count_ - 1);
  lateness_counts out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = now.lateness[i] - oldest.lateness[i];
  return out;
}

counter_history::rates counter_history::rates_at(steady at, const counter_totals& now) const {
  const std::size_t age = count_ > 1 ? 1 : 0;
  const auto since = newest_at_ - step * static_cast<std::int64_t>(age);
  const auto seconds = std::chrono::duration<double>(at - since).count();
  if (seconds < 1)
    return {};
  const auto& begin = before(age);
  return {static_cast<double>(now.fired - begin.fired) / seconds, static_cast<double>(now.results - begin.results) / seconds};
}

} // namespace ringmaster::core
