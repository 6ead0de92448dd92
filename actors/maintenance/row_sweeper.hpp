#pragma once

#include <chrono>

#include "actors/logger.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "actors/metrics.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that cleans up rows without an owner (firing protocol, F4). It records runs (0, 0) without a claim as failed, and
/// removes taken intents once their key is no longer needed to refuse duplicates. Runs on the leader, apart from heartbeats and
/// claims if the database takes writes on several connections. A backlog of intents is removed as fast as the store allows.
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
  /// Returns the time limit: younger rows may still be in use.
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
