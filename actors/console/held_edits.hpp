#pragma once

// Edits that wait for a node's first verdict about its wall clock, and edits that must not overtake them.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Queue of edits that arrived before the verdict: they would be refused although the node may be fine (firing protocol §9, wall
/// clocks). First come, first served, also for edits of the same job that need no verdict. Part of the state of job_admin.
class held_edits {
public:
  using steady = protocol::wall_clock::steady;
  /// `in_time` false: its wait took too long. Its caller may have given up and repeated it, so it must not be made.
  using edit = std::function<void(bool in_time)>;

  static constexpr std::size_t held_max = 256;
  /// Maximum time that an edit waits.
  static constexpr std::chrono::milliseconds wait_max{2000};

  struct item {
    edit go_on;
    /// Job that it edits; 0: a new one; unset: any jobs.
    std::optional<core::job_id> job;
    /// False: it waits only for earlier edits of its job.
    bool needs_verdict = true;
  };
  struct released {
    edit go_on;
    bool in_time = true;
  };

  /// `caller_limit`: time after which callers give up. A fifth of it remains for the edit itself.
  explicit held_edits(std::chrono::milliseconds caller_limit) : wait_{std::min(wait_max, caller_limit - caller_limit / 5)} {}

  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  /// Returns true if an edit of this job, or of any jobs, waits.
  [[nodiscard]] bool holds(core::job_id job) const;

  /// Holds `one`, and moves from it only when there is room; returns false otherwise.
  [[nodiscard]] bool hold(item& one, steady now);

  /// Removes and returns the edits that wait no longer, in their order: all of them after the verdict, else those whose wait took
  /// too long, and those that need no verdict once no earlier edit of their job waits.
  [[nodiscard]] std::vector<released> take(protocol::clock_verdict verdict, steady now);

private:
  struct waiting {
    item of;
    steady until;
  };

  std::chrono::milliseconds wait_;
  std::deque<waiting> held_;
};

} // namespace ringmaster::actors
