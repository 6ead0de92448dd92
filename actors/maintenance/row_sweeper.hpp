#pragma once

#include <chrono>

#include "actors/logger.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "actors/metrics.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// What nobody holds (firing protocol, F4): runs (0, 0) that no claim has are recorded as failed, and intents that were taken are
/// removed once their key refuses nothing any more. A duty about the whole, so of the node that has slot 0, and aside from beats
/// and claims where the database takes writes of several connections. A backlog of intents goes as fast as the store takes it.
class row_sweeper_state {
public:
  static inline const char* name = "ringmaster.row_sweeper";

  static constexpr std::size_t intents_per_step = 2000;

  row_sweeper_state(protocol::row_sweeper::pointer self, leader_workers workers, protocol::wall_clock clock, logger log);
  protocol::row_sweeper::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void tick();
  void arm();
  void fail_abandoned();
  void forget_intents();
  /// What is younger is somebody's business still.
  [[nodiscard]] core::time_point age_limit() const;

  protocol::row_sweeper::pointer self_;
  leader_store<protocol::row_sweeper::pointer> store_;
  protocol::wall_clock clock_;
  logger log_;
  bool alive_ = false;
  bool duty_ = false;
  bool failing_ = false;
  bool forgetting_ = false;
  steady next_tick_{};
  steady next_sweep_{};
  steady next_forget_{};
  caf::telemetry::int_counter* abandoned_count_;
  caf::telemetry::int_counter* forgotten_count_;
};

} // namespace ringmaster::actors
