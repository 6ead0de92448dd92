#include "core/maintenance/log_purge.hpp"

#include <algorithm>

namespace ringmaster::core {

time_point purge_before(time_point now, const zone& where, std::size_t days) {
  const auto today = std::chrono::floor<std::chrono::days>(where.to_local(now));
  const local_time midnight{today - std::chrono::days{static_cast<int>(days)}};
  return where.to_instant(where.end_of_gap(midnight)).value_or(now - std::chrono::days{static_cast<int>(days) + 1});
}

void log_purge::begin(log_range range, time_point before, log_id settled) {
  removed_ = 0;
  settled_ = settled;
  range.after = std::max(range.after, low_water_);
  if (range.after < range.through)
    present_ = purge_step{range, before, limit_};
  else
    done_ = before;
}

std::optional<purge_step> log_purge::next() const { return present_; }

std::chrono::milliseconds log_purge::stepped(const purge_outcome& outcome) {
  removed_ += outcome.removed;
  low_water_ = std::max(low_water_, std::min(outcome.through, settled_));
  const auto took = std::max(outcome.took, std::chrono::microseconds{1});
  // The limit grows slowly and shrinks quickly.
  const auto factor = std::clamp(std::chrono::duration<double>{step_aim} / std::chrono::duration<double>{took}, 0.1, 1.5);
  limit_ = std::clamp(static_cast<std::size_t>(static_cast<double>(limit_) * factor), limit_min, limit_max);
  if (present_) {
    present_->limit = limit_;
    present_->range.after = outcome.through;
    if (present_->range.after >= present_->range.through) {
      done_ = present_->before;
      present_.reset();
    }
  }
  return std::max(pause_min, std::chrono::ceil<std::chrono::milliseconds>(took * pause_factor));
}

void log_purge::failed() {
  limit_ = std::max(limit_min, limit_ / 4);
  if (present_)
    present_->limit = limit_;
}

void log_purge::reset() {
  present_.reset();
  done_.reset();
  low_water_ = settled_ = {};
}

} // namespace ringmaster::core
