#pragma once

// Figures of the present work of the nodes, without names of jobs or groups.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/executor.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Upper bounds of the lateness of runs in milliseconds. One more count, without a bound, is for later runs.
inline constexpr std::array<std::int64_t, 13> lateness_bounds_ms{1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000};
using lateness_counts = std::array<std::int64_t, lateness_bounds_ms.size() + 1>;

/// Runs that hold a place of a lane, and the places of the lane.
struct lane_load {
  std::string_view lane;
  std::int64_t used = 0;
  std::int64_t window = 0;
};

/// Load of one node.
struct node_load {
  std::array<lane_load, 2> lanes{};
  std::int64_t claims_open = 0;
  /// Runs that recovery has not decided yet.
  std::int64_t undecided = 0;
  /// Claims and results that wait for the store.
  std::int64_t store_waiting = 0;
  double firings_per_s = 0;
  double results_per_s = 0;
};

struct node_figures {
  std::string id;
  /// Number of slots that the node plans; unset: unknown.
  std::optional<std::size_t> slots;
  /// Unset for every node but the one that answers.
  std::optional<node_load> load;
};

/// Counts of consecutive steps of equal length, the oldest first.
struct count_series {
  time_point from{};
  std::vector<std::int64_t> fired;
  std::vector<std::int64_t> failed;
};

/// Counts from the store.
struct stored_counts {
  std::int64_t jobs = 0;
  /// Jobs whose schedule is started.
  std::int64_t jobs_running = 0;
  std::int64_t failed_last_hour = 0;
  /// At least `failed_last_hour` runs failed.
  bool failed_is_capped = false;
};

/// Figures of one moment. Lateness and series are of the runs of the answering node in the last 15 minutes.
struct live_figures {
  time_point at{};
  /// Nodes that are alive, sorted by id.
  std::vector<node_figures> nodes;
  lateness_counts lateness{};
  count_series series;
  /// Unset: the store did not answer in time.
  std::optional<stored_counts> stored;
  /// Unset before the first read of the registry.
  std::optional<executor_totals> executors;
  /// True if figures of other nodes are missing.
  bool partial = false;
};

} // namespace ringmaster::core
