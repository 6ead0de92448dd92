#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "actors/logger.hpp"
#include "actors/store/store_access.hpp"
#include "config/settings.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actors that work with reservation_actor.
struct reservation_partners {
  /// Has its own connection: waiting for the schedule lock must not delay heartbeats, claims or results.
  protocol::store_worker worker;
  protocol::schedule_actor schedule;
};

/// Actor for reservations in shared mode (firing protocol §8). Twice a second, and at once while a limit was reached, it reserves
/// what is due within 6 s under XXL's schedule lock and hands it to schedule_actor. Reservations are durable: if this node dies,
/// any other node claims them. Reserves only during an incarnation in shared mode and before the node's own deadline.
///
/// Instants that cannot be claimed in time are not reserved. While the planner is a second late, nothing is reserved; for a while
/// after that, nothing further ahead than a second. Such instants stay due in `xxl_job_info`. A Java admin may take them; if none
/// does, they are reserved late when there is room, and the misfire policy decides.
class reservation_actor_state {
public:
  static inline const char* name = "ringmaster.reservation_actor";

  static constexpr std::chrono::milliseconds reserve_every{500};
  /// Lateness of the planner from which on nothing more is reserved.
  static constexpr std::chrono::milliseconds late_max{1000};
  /// Horizon of reservations during `strained_for` after such a lateness.
  static constexpr std::chrono::milliseconds strained_horizon{1000};
  static constexpr std::chrono::milliseconds strained_for{10'000};

  reservation_actor_state(protocol::reservation_actor::pointer self, reservation_partners partners,
                          config::schedule_settings settings, std::shared_ptr<const protocol::send_gate> gate,
                          protocol::wall_clock clock, std::function<std::int64_t()> boot, logger log);
  protocol::reservation_actor::behavior_type make_behavior();

private:
  using steady = protocol::wall_clock::steady;

  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void arm(steady when);
  void reserve();
  void ask_planner();
  void rest();
  void reserve_now(core::milliseconds horizon);
  void take(core::result<core::reserve_outcome>&& outcome);
  void tell_unplanned();
  void tell(const core::reserve_outcome& outcome);
  void forget_old();
  caf::result<void> finish();
  void report_finished();
  caf::result<void> stop();
  void put_back();
  void report_stopped();

  protocol::reservation_actor::pointer self_;
  reservation_partners partners_;
  config::schedule_settings settings_;
  std::shared_ptr<const protocol::send_gate> gate_;
  protocol::wall_clock clock_;
  std::function<std::int64_t()> boot_;
  logger log_;
  /// Set in shared mode only.
  std::optional<core::node_incarnation> incarnation_;
  std::optional<steady> armed_;
  steady next_{};
  steady next_forget_{};
  bool busy_ = false;
  /// A graceful stop is under way: nothing more is reserved.
  bool finishing_ = false;
  std::vector<caf::typed_response_promise<void>> finished_;
  bool stopping_ = false;
  bool troubled_ = false;
  /// End of the time in which reservations are restricted because the planner was late.
  steady strained_until_{};
  std::vector<caf::typed_response_promise<void>> stopped_;
  caf::telemetry::int_counter* reserved_count_;
  caf::telemetry::int_counter* doubles_count_;
  caf::telemetry::int_counter* dropped_count_;
  caf::telemetry::int_counter* merged_count_;
};

} // namespace ringmaster::actors
