#pragma once

// Metrics of elastic jobs on a node.

#include <array>
#include <cstddef>
#include <cstdint>

#include "actors/elastic/job_facts.hpp"
#include "actors/metrics.hpp"
#include "core/time.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Metrics of the director, the coordinators, the writer and elastic_hosts in the registry of the actor system. All objects of
/// one system refer to the same metrics, which exist from the first one on. Any thread.
class elastic_metrics {
public:
  explicit elastic_metrics(caf::actor_system& system);

  /// Counts a fact that is stored. `now`: civil time, from which the lateness of a fire is counted.
  void count(const job_fact& what, core::time_point now) const;
  /// Replaces the share of one job.
  void change_items(const item_counts& before, const item_counts& after) const;
  void show_slots(std::size_t held) const;
  void show_hosts(const protocol::known_hosts& known) const;
  /// Records a transaction of the writer with this number of rows: writes of items, and other writes.
  void wrote(std::size_t rows) const;

private:
  static constexpr std::size_t sources = 4;
  static constexpr std::size_t ends = 5;
  static constexpr std::size_t host_states = 4;
  /// One for each proof, and one for takeovers without a proof.
  static constexpr std::size_t takeover_cases = 6;
  static constexpr std::size_t refusals = 12;

  void add(const fact::fire& what, core::time_point now) const;
  void add(const fact::run_end& what, core::time_point now) const;
  void add(const fact::takeover& what, core::time_point now) const;
  void add(const fact::refusal& what, core::time_point now) const;
  void add(const fact::gone& what, core::time_point now) const;
  void add(const fact::plan& what, core::time_point now) const;
  void add(const fact::late_barrier& what, core::time_point now) const;

  std::array<caf::telemetry::int_counter*, sources> fires_{};
  caf::telemetry::int_counter* dropped_fires_;
  caf::telemetry::dbl_histogram* lateness_;
  /// By source, then by end.
  std::array<std::array<caf::telemetry::int_counter*, ends>, sources> runs_{};
  caf::telemetry::int_gauge* open_;
  caf::telemetry::int_gauge* wanted_;
  caf::telemetry::int_gauge* far_ahead_;
  std::array<caf::telemetry::int_counter*, takeover_cases> takeovers_{};
  caf::telemetry::dbl_histogram* takeover_time_;
  std::array<caf::telemetry::int_counter*, refusals> refused_{};
  caf::telemetry::int_counter* gone_;
  caf::telemetry::int_counter* plans_;
  caf::telemetry::int_counter* late_barriers_;
  std::array<caf::telemetry::int_gauge*, host_states> hosts_{};
  caf::telemetry::int_gauge* tainted_;
  caf::telemetry::int_gauge* slots_;
  caf::telemetry::int_histogram* batch_rows_;
};

} // namespace ringmaster::actors
