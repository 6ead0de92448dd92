#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "actors/logger.hpp"
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

/// The day report (XXL admin §7.6) and the age limit of the log (§7.7): duties about the whole, so of the node that has slot 0.
///
/// Once a minute it counts what can have changed since the last time (`core::day_counter`), one stretch of ids after the other,
/// and writes the rows of today and the two days before that differ from what it wrote last. Everything is counted anew when a
/// life begins, when slot 0 comes to this node and when the day changes; until that is done nothing is written, so no row ever
/// shows less than there is. The purge runs whenever the first midnight to be kept moves on, in steps that are short
/// (`log_purge`); the record of changes has an age limit, too.
class report_actor_state {
public:
  static inline const char* name = "ringmaster.report_actor";

  report_actor_state(protocol::report_actor::pointer self, leader_workers workers, config::retention_settings retention,
                     core::zone schedule_zone, protocol::wall_clock clock, logger log);
  protocol::report_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  /// What a purge is about.
  struct old_runs {
    core::log_range range;
    /// No run up to here can be younger than those behind it.
    core::log_id settled{};
  };

  void change_incarnation(const protocol::incarnation_change& change);
  void change_slots(const protocol::slot_change& change);
  void set_duty(bool on);
  void tick();
  void arm();

  // -- the report
  void begin_count();
  void begin_pass();
  void passed_span(const core::result<core::log_span>& span);
  void count_next();
  void write_report();
  void count_failed(const core::error& why);

  // -- the purge
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
  /// The newest id of the pass before: a minute later everything up to it is committed.
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
  bool no_room_ = false;
};

} // namespace ringmaster::actors
