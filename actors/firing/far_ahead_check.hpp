#pragma once

// A slow round through the planner's jobs that finds times further ahead than their schedules allow.

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include <caf/actor_system.hpp>

#include "actors/logger.hpp"
#include "actors/metrics.hpp"
#include "core/schedule/schedule_book.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Reports such times once each, and counts them. A clock that was wrong for a moment leaves them, on this node or on one that is
/// gone. Changes nothing: `ringmaster repair schedules` corrects them. Part of the state of schedule_actor.
class far_ahead_check {
public:
  using steady = protocol::wall_clock::steady;

  far_ahead_check(caf::actor_system& system, logger log);

  [[nodiscard]] bool is_due(steady t) const noexcept { return t >= next_; }
  /// Looks at some jobs.
  void look(const core::schedule_book& book, core::time_point now, steady t);
  /// Begins a new round.
  void restart();

private:
  void end_round();

  logger log_;
  std::size_t from_ = 0;
  steady next_{};
  /// Findings of this round, and of the previous one.
  std::vector<core::far_ahead> found_;
  std::unordered_set<std::int32_t> reported_;
  caf::telemetry::int_gauge* count_;
};

} // namespace ringmaster::actors
