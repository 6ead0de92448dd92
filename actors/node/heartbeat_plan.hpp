#pragma once

// Times of the heartbeats and of the looks at the other nodes.

#include <chrono>

#include <caf/actor_clock.hpp>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

/// Plan of an incarnation's heartbeats, and of the looks at the other nodes with and between them. Invariant: at most one
/// heartbeat and at most one look between heartbeats are under way, and a look begins only while no heartbeat is. Part of the
/// state of node_actor.
class heartbeat_plan {
public:
  using steady = caf::actor_clock::time_point;

  explicit heartbeat_plan(std::chrono::milliseconds interval) : interval_{interval} {}

  /// Begins with an incarnation: a heartbeat that looks at the others is due.
  void begin(steady now) { next_beat_ = next_look_ = now; }
  /// Ends with the incarnation, whose requests are under way no more.
  void end() { is_beating_ = is_looking_ = false; }

  [[nodiscard]] bool is_beat_due(steady now) const { return now >= next_beat_; }
  /// Begins a heartbeat and plans the next one. Returns false if one is under way.
  [[nodiscard]] bool begin_beat(steady now) {
    if (is_beating_)
      return false;
    is_beating_ = true;
    next_beat_ = next_tick(next_beat_, interval_, now);
    return true;
  }
  void end_beat() { is_beating_ = false; }

  /// Returns true if the heartbeat that begins looks at the other nodes, too. A node that is alone looks for others less often.
  [[nodiscard]] bool take_look(bool alone, steady now) {
    const bool looks = !alone || now >= next_look_;
    if (looks)
      next_look_ = now + lonely_look;
    return looks;
  }

  /// Begins a look between heartbeats. Returns false if a heartbeat or a look is under way.
  [[nodiscard]] bool begin_look() {
    if (is_looking_ || is_beating_)
      return false;
    is_looking_ = true;
    return true;
  }
  void end_look() { is_looking_ = false; }

private:
  /// Interval in which a node that is alone looks for others.
  static constexpr std::chrono::milliseconds lonely_look{1'000};

  std::chrono::milliseconds interval_;
  bool is_beating_ = false;
  bool is_looking_ = false;
  steady next_beat_{};
  steady next_look_{};
};

} // namespace ringmaster::actors
