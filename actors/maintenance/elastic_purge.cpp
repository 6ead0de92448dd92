#include "actors/maintenance/elastic_purge.hpp"

#include <algorithm>
#include <utility>

#include "core/maintenance/log_purge.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::actors {

namespace {

constexpr std::chrono::hours purge_period{1};
constexpr std::chrono::minutes purge_retry{1};
constexpr std::size_t purged_per_step = 500;
constexpr std::chrono::milliseconds purge_pause_min{20};

} // namespace

void elastic_purge::restart(steady now) {
  next_ = now;
  walking_ = asking_ = false;
}

void elastic_purge::work(steady now, core::time_point wall) {
  if (days_ == 0 || asking_ || now < next_)
    return;
  if (!std::exchange(walking_, true)) {
    before_ = wall - std::chrono::days{static_cast<int>(days_)};
    place_ = {};
    runs_done_ = false;
    removed_runs_ = removed_fires_ = 0;
  }
  step(now);
}

void elastic_purge::step(steady now) {
  asking_ = true;
  store_.write_much<core::elastic::purge_done>(
    [before = before_, from = place_, runs = !runs_done_](storage::store& store) {
      return runs ? store.elastic().purge_runs(before, from, purged_per_step)
                  : store.elastic().purge_fires(before, from, purged_per_step);
    },
    [this, now](const core::result<core::elastic::purge_done>& done) { stepped(done, now); });
}

void elastic_purge::stepped(const core::result<core::elastic::purge_done>& done, steady begun) {
  const auto now = self_->clock().now();
  asking_ = false;
  if (!done) {
    next_ = now + purge_retry;
    return log_->warn("the old history of elastic jobs could not be removed now: {}", done.error().context);
  }
  (runs_done_ ? removed_fires_ : removed_runs_) += done->removed;
  place_ = done->next;
  if (!done->complete) {
    next_ = now + std::max<steady::duration>((now - begun) * core::log_purge::pause_factor, purge_pause_min);
  } else if (!std::exchange(runs_done_, true)) {
    next_ = now + purge_pause_min;
  } else {
    finish(now);
  }
}

void elastic_purge::finish(steady now) {
  walking_ = false;
  next_ = now + purge_period;
  if (removed_runs_ + removed_fires_ > 0)
    log_->info("removed {} runs and {} fires of elastic jobs older than {} days", removed_runs_, removed_fires_, days_);
}

} // namespace ringmaster::actors
