#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/elastic/elastic_metrics.hpp"
#include "actors/elastic/host_slots.hpp"
#include "actors/elastic/job_coordination.hpp"
#include "actors/elastic/job_schedules.hpp"
#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Surroundings that all coordinators of a node share.
struct coordinator_tools {
  protocol::elastic_director director;
  protocol::elastic_writer writer;
  protocol::elastic_hosts hosts;
  /// For reads of jobs and items.
  protocol::store_worker worker;
  std::shared_ptr<const core::elastic::strategy_registry> strategies;
  std::shared_ptr<job_schedules> schedules;
  protocol::wall_clock clock;
  logger log;
  elastic_metrics metrics;
  /// Null: error handlers notify no users.
  protocol::error_notifier errors = {};
  /// Limits of alarms.
  config::elastic_settings settings = {};
  /// Set by the director with each list of hosts.
  std::shared_ptr<host_slots> slots = std::make_shared<host_slots>();
};

/// Actor of one elastic job of a held slot: `job_coordination` decides, this actor reads the store for it and passes its writes
/// and messages on. Child of elastic_director, which calls it at the moments that it asks for.
class elastic_coordinator_state {
public:
  static inline const char* name = "ringmaster.elastic_coordinator";

  /// `known`: the latest list of hosts; null: none yet.
  elastic_coordinator_state(protocol::elastic_coordinator::pointer self, std::shared_ptr<const coordinator_tools> tools,
                            job_identity who, core::elastic::adopted_job stored,
                            std::shared_ptr<const protocol::known_hosts> known);
  ~elastic_coordinator_state();
  elastic_coordinator_state(const elastic_coordinator_state&) = delete;
  elastic_coordinator_state& operator=(const elastic_coordinator_state&) = delete;
  protocol::elastic_coordinator::behavior_type make_behavior();

private:
  using steady = protocol::elastic_steady;

  /// Use of the next reading of the job.
  enum class reading : std::uint8_t { none, change, load };

  [[nodiscard]] job_moment at() const;
  [[nodiscard]] job_coordination::schedule_rule rule_of(const core::elastic::elastic_job_row& job) const;
  void change(const protocol::elastic_job_change& change);
  void pass_time();
  /// Sends what the last input has led to.
  void leave();
  void send(job_output&& out);
  void ask_for_call();
  void reload();
  void read_job(reading use);
  void job_read(core::result<core::elastic::adopted_job>&& found);
  void read_items(std::vector<core::elastic::item_number>&& items);
  void end();

  protocol::elastic_coordinator::pointer self_;
  std::shared_ptr<const coordinator_tools> tools_;
  job_identity who_;
  job_coordination job_;
  /// Share of this job in the metrics.
  item_counts shown_;
  /// Moment that the director was asked for; unset: none, or it has come.
  std::optional<steady> call_at_;
  /// The director was told that the job is busy.
  bool said_busy_ = false;
  reading wanted_ = reading::none;
  /// The store has the question; another one came meanwhile.
  bool reading_job_ = false;
  bool read_twice_ = false;
  /// The last reading failed, or was a moment ago: the next one begins at this moment.
  std::optional<steady> read_again_at_;
  /// Begin of the last reading that replaces the state.
  std::optional<steady> reloaded_at_;
};

} // namespace ringmaster::actors
