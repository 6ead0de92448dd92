#pragma once

#include <cstddef>
#include <deque>
#include <unordered_set>

#include "core/ids.hpp"

namespace ringmaster::actors {

/// The runs that were taken last, so that a second copy is known before the log of the first exists, and after a run that was
/// ended before it began.
class recent_runs {
public:
  explicit recent_runs(std::size_t runs_max) : runs_max_{runs_max} {}

  [[nodiscard]] bool contains(core::log_id run) const { return runs_.contains(run); }

  void add(core::log_id run) {
    runs_.insert(run);
    order_.push_back(run);
    if (order_.size() <= runs_max_)
      return;
    // One that was forgotten and came again goes with its first place: a little early.
    runs_.erase(order_.front());
    order_.pop_front();
  }
  /// It was not taken after all.
  void forget(core::log_id run) { runs_.erase(run); }

private:
  std::size_t runs_max_;
  std::unordered_set<core::log_id> runs_;
  std::deque<core::log_id> order_;
};

} // namespace ringmaster::actors
