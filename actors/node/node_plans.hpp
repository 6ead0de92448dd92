#pragma once

// Times at which a node enters the cluster, sends heartbeats and looks at the other nodes.

#include <algorithm>
#include <chrono>
#include <utility>

#include <caf/actor_clock.hpp>

#include "actors/next_tick.hpp"

namespace ringmaster::actors {

/// Plan of this node's entries into the cluster. Invariant: at most one entry is under way, the pauses after failures grow from
/// `pause_min` to `pause_max`, and two incarnations begin at least `pause_max` apart. Part of the state of node_actor.
class entry_plan {
public:
  using steady = caf::actor_clock::time_point;

  [[nodiscard]] bool is_due(steady now) const { return !is_under_way_ && now >= next_; }
  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }
  void begin() { is_under_way_ = true; }
  /// Ends the entry, whatever came of it.
  void end() { is_under_way_ = false; }

  /// Plans the next entry after a failure.
  void back_off(steady now) {
    pause_ = std::clamp(pause_ * 2, pause_min, pause_max);
    next_ = now + pause_;
  }
  /// Ends the pauses, as an incarnation begins.
  void succeed() { pause_ = std::chrono::milliseconds{0}; }
  /// Plans the next entry after the end of an incarnation that began at `began`: at once, but not repeatedly, because two
  /// processes with one id end each other's incarnation whenever they enter.
  void follow_incarnation(steady began) { next_ = began + pause_max; }

  void wait_until(steady t) { next_ = t; }
  /// Puts an earlier entry off.
  void wait_at_least_until(steady t) { next_ = std::max(next_, t); }

  /// Waits until `t` because another process is running with this node's id. Returns true if that is new.
  [[nodiscard]] bool stand_by(steady t) {
    next_ = t;
    return !std::exchange(is_standing_by_, true);
  }
  void end_stand_by() { is_standing_by_ = false; }
  [[nodiscard]] bool is_standing_by() const noexcept { return is_standing_by_; }

private:
  static constexpr std::chrono::milliseconds pause_min{100};
  static constexpr std::chrono::milliseconds pause_max{1'000};

  bool is_under_way_ = false;
  bool is_standing_by_ = false;
  std::chrono::milliseconds pause_{0};
  steady next_{};
};

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
