#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "actors/logger.hpp"
#include "actors/maintenance/elastic_purge.hpp"
#include "actors/maintenance/leader_store.hpp"
#include "config/settings.hpp"
#include "core/maintenance/day_counter.hpp"
#include "core/maintenance/log_purge.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor for the daily report (XXL admin §7.6) and for retention of the log (§7.7), the audit log and the
/// history of elastic jobs. Runs on the leader.
///
/// Once a minute it counts runs that may have changed since the last time (`core::day_counter`), section by section of ids. It
/// writes those rows of today and the two days before that differ from the rows it wrote last. It counts everything again when an
/// incarnation begins, when this node becomes leader and when the day changes. Until that is done it writes nothing, so no row
/// ever shows less than there is. The purge runs whenever the first midnight to be kept moves on, in short steps (`log_purge`).
class report_actor_state {
public:
  static inline const char* name = "ringmaster.report_actor";

  report_actor_state(protocol::report_actor::pointer self, leader_workers workers, config::retention_settings retention,
                     config::elastic_settings elastic, core::zone schedule_zone, protocol::wall_clock clock, logger log);
  protocol::report_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  /// Runs that a purge removes.
  struct old_runs {
    core::log_range range;
    /// Limit up to which no run can be younger than later ones.
    core::log_id settled{};
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void tick();
  void arm();

  // -- report
  void begin_count();
  void begin_pass();
  void passed_span(const core::result<core::log_span>& span);
  void count_next();
  void write_report();
  void count_failed(const core::error& why);

  // -- purge
  void begin_purge();
  void purge_next();
  void purged(const core::result<core::purge_outcome>& outcome);
  void make_room();
  void forget_orphans();
  void purge_audits();

  protocol::report_actor::pointer self_;
  leader_store<protocol::report_actor::pointer> store_;
  config::retention_settings retention_;
  core::zone zone_;
  protocol::wall_clock clock_;
  logger log_;

  bool alive_ = false;
  bool first_slot_ = false;
  bool duty_ = false;
  steady next_tick_{};

  core::day_bounds days_{};
  std::optional<core::day_counter> counter_;
  bool counting_ = false;
  steady next_pass_{};
  steady next_count_{};
  /// Newest id of the previous pass: a minute later everything up to it is committed.
  core::log_id newest_{};
  core::log_id settled_{};
  std::optional<core::day_counts> written_;
  bool failing_ = false;

  core::log_purge purge_;
  bool purging_ = false;
  steady next_purge_{};
  steady next_room_{};
  steady next_orphans_{};
  steady next_audits_{};
  std::size_t audits_removed_ = 0;
  elastic_purge elastic_history_;
  bool no_room_ = false;
};

} // namespace ringmaster::actors
