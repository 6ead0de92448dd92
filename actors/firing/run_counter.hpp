#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/metrics.hpp"
#include "core/run/run.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Returns the counters of the ends of runs, by group and result. Cheap; the same family for each call.
[[nodiscard]] metric_family<caf::telemetry::int_counter>* run_end_counters(caf::actor_system& system);
/// Returns the runs that failed or could not be sent, of all groups. Any thread.
[[nodiscard]] std::int64_t failed_runs_in(const metric_family<caf::telemetry::int_counter>& ends);

/// Actor that counts the ends of runs by group for /metrics, and keeps the time at which jobs last succeeded. Every group has its
/// counters, with the value 0, from the moment at which it is known.
class run_counter_state {
public:
  static inline const char* name = "ringmaster.run_counter";

  /// Limits of series: groups beyond them count as `other`, and jobs have no time of success.
  static constexpr std::size_t groups_max = 500;
  static constexpr std::size_t jobs_max = 1'000;

  run_counter_state(protocol::run_counter::pointer self, protocol::wall_clock clock);
  protocol::run_counter::behavior_type make_behavior();

private:
  static constexpr std::size_t ends = 4;
  using counters = std::array<caf::telemetry::int_counter*, ends>;

  void learn(const protocol::registry_view& view);
  void count(const protocol::runs_ended& told);
  void count_missed(const core::missed_row& row);
  void note_success(const core::ended_run& run);
  counters& counters_of(const std::string& group);
  [[nodiscard]] const std::string& name_of(core::group_id group) const;

  protocol::run_counter::pointer self_;
  protocol::wall_clock clock_;
  metric_family<caf::telemetry::int_counter>* ended_;
  metric_family<caf::telemetry::int_counter>* missed_;
  metric_family<caf::telemetry::dbl_gauge>* succeeded_;
  std::unordered_map<std::int32_t, std::string> names_;
  std::map<std::string, counters> by_group_;
  std::map<std::string, caf::telemetry::int_counter*> missed_by_group_;
  std::unordered_map<std::int32_t, caf::telemetry::dbl_gauge*> by_job_;
};

} // namespace ringmaster::actors
