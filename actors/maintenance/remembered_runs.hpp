#pragma once

#include <cstddef>
#include <set>

#include "core/ids.hpp"

namespace ringmaster::actors {

/// Set of runs for which something has failed. Invariant: it has at most `runs_max` runs; before the next one it forgets all, so
/// that each of them gets one more attempt. Part of the state of log_keeper.
class remembered_runs {
public:
  static constexpr std::size_t runs_max = 10'000;

  /// Adds a run. Returns true if the run was remembered already.
  bool add(core::log_id run) {
    if (runs_.size() >= runs_max)
      runs_.clear();
    return !runs_.insert(run).second;
  }
  void forget(core::log_id run) { runs_.erase(run); }
  void clear() noexcept { runs_.clear(); }

private:
  std::set<core::log_id> runs_;
};

} // namespace ringmaster::actors
