#pragma once

// Input of one run of the simulation of elastic jobs: nodes, hosts, jobs, edits and faults. All of it follows from a seed, so
// that a run can be repeated.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/elastic_definition.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation::elastic {

/// Stands for all nodes, or all hosts.
inline constexpr int all = -1;
/// Maximal number of items of a job.
inline constexpr std::uint64_t total_max = 6;

enum class trouble : std::uint8_t {
  // A host. It is killed, and comes back after `lasts`; 0: it stays away.
  kill_host,
  /// Stops the process (SIGSTOP) for `lasts`; its clocks continue.
  stop_host,
  /// Sets its wall clock by `by` milliseconds for `lasts`.
  jump_wall,
  /// Starts a second process with the host's address and another folder; it ends after `lasts`.
  second_process,
  /// The host drains, ends, and comes back after `lasts`.
  drain_host,

  // The network between a host and a node.
  /// Nothing arrives in either direction for `lasts`. Both ends learn of it after `by` milliseconds; 0: they do not.
  cut,
  /// Nothing arrives at the host, or at the node, for `lasts`.
  half_open_to_host,
  half_open_to_node,
  /// The connection breaks: messages on their way are lost.
  lose_link,

  // A node.
  kill_node,
  stop_node,
  /// The node stops gracefully, and comes back after `lasts`.
  leave_node,
  /// Its store is unavailable for `lasts`.
  store_away,

  // The next call of a node about elastic jobs; `fault::by` says which (`is_meant_for`).
  /// It is committed, and its answer is lost.
  lose_answer,
  /// It is slow before or after its commit; the rest of the process goes on.
  delay_before,
  delay_after,
  /// The process is stopped before or after its commit.
  stop_before,
  stop_after,
  /// The process is killed before or after its commit, and comes back after `lasts`.
  kill_before,
  kill_after,
};
[[nodiscard]] std::string_view to_string(trouble what) noexcept;

/// `fault::by` of a fault of the next call: the calls for which it is meant.
enum meant_calls : std::int64_t { any_call, calls_of_hosts, calls_of_slots, writes_of_jobs, meant_calls_count };
/// Returns whether a fault with this `fault::by` is meant for this method of the store.
[[nodiscard]] bool is_meant_for(std::int64_t calls, std::string_view method) noexcept;

struct fault {
  trouble what = trouble::kill_host;
  span at{0};
  milliseconds lasts{0};
  int host = all;
  int node = all;
  std::int64_t by = 0;
};

enum class change : std::uint8_t { total, enable, disable, enable_item, disable_item, strategy, request };
[[nodiscard]] std::string_view to_string(change what) noexcept;

struct job_edit {
  change what = change::total;
  span at{0};
  /// Place in `job_history::jobs`.
  std::size_t job = 0;
  /// Number of items, or the item.
  std::int32_t number = 0;
};

struct job_input {
  std::int32_t total = 1;
  /// Its cron expression names each second that is a multiple of this one.
  std::int32_t period_s = 1;
  core::elastic::elastic_options options = {};
};

/// Behaviour of bodies, in percent; the others end by themselves within a second.
struct body_habits {
  /// Run for up to four seconds.
  unsigned longer = 10;
  unsigned throws = 8;
  /// Run for several seconds, and ignore each request to stop.
  unsigned ignores_stop = 4;
};

struct job_history {
  std::uint64_t seed = 0;
  int nodes = 1;
  int hosts = 1;
  /// Number of machines: node and host `i` run on machine `i` modulo this number.
  int machines = 1;
  /// Drift of the clocks of each process in parts per million: nodes, then hosts.
  std::vector<std::int64_t> drifts;
  std::vector<std::int32_t> capacities;
  /// Maximal delay of a message.
  milliseconds delay_max{3};
  /// `cluster.dead_after`.
  milliseconds dead_after{1500};
  /// All actors of a node share one connection to the store.
  bool one_writer = true;
  /// Messages of one process are handled in a random order of actors.
  bool shuffle = false;
  body_habits bodies;
  std::vector<job_input> jobs;
  std::vector<fault> faults;
  std::vector<job_edit> edits;
  /// The run goes on for at least so long.
  milliseconds lasts{8'000};
};

[[nodiscard]] job_history random_job_history(std::uint64_t seed);
/// Returns a history with many faults and edits, most of which overlap.
[[nodiscard]] job_history dense_job_history(std::uint64_t seed);
[[nodiscard]] std::string describe(const fault& what);
[[nodiscard]] std::string describe(const job_history& what);

} // namespace ringmaster::simulation::elastic
