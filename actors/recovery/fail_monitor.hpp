#pragma once

#include "actors/logger.hpp"
#include "core/alarm/alarm.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that looks for undecided failed runs (of a Java admin, claims of an admin that died, rows written manually) and has the
/// store decide their retry and alarm; retries go to the planner at once. It also finds jobs that succeed again after an alarm.
/// The failures of this cluster's own runs are decided where their result is recorded. Every node sweeps: compare-and-set on
/// alarm_status gives each failure to one of them.
class fail_monitor_state {
public:
  static inline const char* name = "ringmaster.fail_monitor";

  static constexpr std::chrono::seconds period{10};
  /// Pause between two sections, while there is more of the log.
  static constexpr std::chrono::seconds pause{1};

  fail_monitor_state(protocol::fail_monitor::pointer self, protocol::storage_actor storage, protocol::intent_listener planner,
                     protocol::wall_clock clock, logger log);
  protocol::fail_monitor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void sweep();
  void swept(core::result<core::failure_sweep>&& outcome);
  void find_recoveries();
  void arm();

  protocol::fail_monitor::pointer self_;
  protocol::storage_actor storage_;
  protocol::intent_listener planner_;
  protocol::wall_clock clock_;
  logger log_;

  bool alive_ = false;
  bool sweeping_ = false;
  bool looking_ = false;
  steady next_sweep_{};
  steady next_look_{};
  steady next_tick_{};
};

} // namespace ringmaster::actors
