#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// The most recently accepted runs. Detects a second copy before the log of the first exists, and after a run that was ended
/// before it began. Different runs may have the same id.
class recent_runs {
public:
  explicit recent_runs(std::size_t runs_max) : runs_max_{runs_max} {}

  [[nodiscard]] bool contains(const core::run_identity& which) const {
    const auto [first, last] = runs_.equal_range(which.run);
    for (auto each = first; each != last; ++each)
      if (core::is_same_run(each->second, which))
        return true;
    return false;
  }

  void add(const core::run_identity& which) {
    runs_.emplace(which.run, which);
    order_.push_back(which);
    if (order_.size() <= runs_max_)
      return;
    // A run that was removed and added again is evicted at its first position: slightly too early.
    forget(std::exchange(order_.front(), {}));
    order_.pop_front();
  }
  /// Removes a run that was not accepted after all.
  void forget(const core::run_identity& which) {
    const auto [first, last] = runs_.equal_range(which.run);
    for (auto each = first; each != last; ++each)
      if (core::is_same_run(each->second, which)) {
        runs_.erase(each);
        return;
      }
  }

private:
  std::size_t runs_max_;
  std::unordered_multimap<core::log_id, core::run_identity> runs_;
  std::deque<core::run_identity> order_;
};

} // namespace ringmaster::actors
