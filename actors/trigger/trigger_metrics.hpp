#pragma once

// Metrics of the trigger pool.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "actors/metrics.hpp"
#include "core/cluster/live_figures.hpp"
#include "core/routing/lanes.hpp"
#include "core/run/run.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// End of an attempt to trigger a run.
enum class trigger_end : std::uint8_t { accepted, failed, unknown };

/// Counters and histograms of one trigger pool. Owned by its actor.
class trigger_metrics {
public:
  /// Groups with their own series; runs of other groups count as group `other`, so that a script that creates groups does not
  /// create series without limit.
  static constexpr std::size_t groups_max = 500;

  explicit trigger_metrics(caf::actor_system& system);

  void sent(std::size_t runs) noexcept { add(sent_, runs); }
  void ended(core::trigger_kind kind, trigger_end how) noexcept;

  /// Records the time from a run's instant to the first byte of its request. A negative time counts as 0: a run may leave a
  /// moment early if a clock is set back.
  void late(core::group_id group, const protocol::registry_view& view, std::chrono::duration<double> late);

  /// Called when the names of groups may have changed.
  void forget_groups() noexcept { lateness_by_group_.clear(); }

  /// Shows the present state of the lanes.
  void show(const core::lanes& lanes, std::size_t probes);
  /// Shows the number of addresses that are avoided.
  void avoided(std::size_t addresses);

  // Recorded amounts, of this object and of others of the same actor system. Any thread.

  [[nodiscard]] std::int64_t sent_runs() const noexcept { return sent_->value(); }
  /// Returns the lateness of all runs, of all groups.
  [[nodiscard]] core::lateness_counts lateness() const;
  [[nodiscard]] std::array<core::lane_load, 2> lanes() const;

private:
  static constexpr std::size_t kinds = 6;
  static constexpr std::size_t ends = 3;

  [[nodiscard]] caf::telemetry::dbl_histogram* lateness_of(core::group_id group, const protocol::registry_view& view);

  caf::telemetry::int_counter* sent_;
  std::array<std::array<caf::telemetry::int_counter*, ends>, kinds> ended_{};
  metric_family<caf::telemetry::dbl_histogram>* lateness_;
  std::unordered_map<std::int32_t, caf::telemetry::dbl_histogram*> lateness_by_group_;
  std::unordered_map<std::string, caf::telemetry::dbl_histogram*> lateness_by_name_;
  std::array<caf::telemetry::int_gauge*, 2> slots_used_{};
  std::array<caf::telemetry::int_gauge*, 2> slots_{};
  caf::telemetry::int_gauge* probes_;
  caf::telemetry::int_gauge* avoided_;
};

} // namespace ringmaster::actors
