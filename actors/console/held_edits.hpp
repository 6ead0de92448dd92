#pragma once

// Edits that wait for a node's first verdict about its wall clock.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Queue of edits that arrived before the verdict: they would be refused although the node may be fine (firing protocol §9, wall
/// clocks). First come, first served. Part of the state of job_admin.
class held_edits {
public:
  using steady = protocol::wall_clock::steady;
  using edit = std::function<void()>;

  static constexpr std::size_t held_max = 256;
  /// Maximum time that an edit waits.
  static constexpr std::chrono::seconds wait_max{2};

  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return held_.size(); }

  /// Holds `item`, and moves from it only when there is room; returns false otherwise.
  [[nodiscard]] bool hold(edit& item, steady now);

  /// Removes and returns the edits that wait no longer: all of them after the verdict, else those that waited for `wait_max`.
  [[nodiscard]] std::vector<edit> take(protocol::clock_verdict verdict, steady now);

private:
  struct waiting {
    edit item;
    steady until;
  };

  std::deque<waiting> held_;
};

} // namespace ringmaster::actors
