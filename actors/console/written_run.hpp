#pragma once

#include <chrono>

#include "core/run/log_row.hpp"
#include "core/time.hpp"

namespace ringmaster::actors {

/// Returns true if the run writes no more lines to its log: it may go on for a little while after its result was sent. `now` is
/// civil time.
[[nodiscard]] inline bool has_stopped_writing(const core::log_row& run, core::time_point now) {
  constexpr std::chrono::seconds writes_on{3};
  if (run.handle_code == 0 || !run.handle_time)
    return run.handle_code != 0;
  // A time far in the future comes from another clock.
  const auto passed = now - *run.handle_time;
  return passed >= writes_on || passed <= -writes_on;
}

} // namespace ringmaster::actors
