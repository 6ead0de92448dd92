#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "actors/node/node_counters.hpp"
#include "core/cluster/counter_history.hpp"
#include "core/cluster/live_figures.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/figure_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that keeps the figures of this node for the console. Invariant: at most one answer is in the making, and it answers all
/// requests since it began. Without requests, the actor only reads the counters once per step.
///
/// Counts of the store are read again when they are older than `counts_age`. An answer waits for them only if it would have
/// none, or very old ones, and not longer than `counts_patience`: without the store they are unset.
class figure_keeper_state {
public:
  static inline const char* name = "ringmaster.figure_keeper";

  /// Age up to which an answer is given again.
  static constexpr std::chrono::seconds answer_age{1};
  /// Age from which the counts of the store are read again, and from which an answer waits for that.
  static constexpr std::chrono::seconds counts_age{10};
  static constexpr std::chrono::seconds counts_age_max{30};
  static constexpr std::chrono::seconds counts_patience{2};
  static constexpr std::chrono::seconds node_patience{1};
  static constexpr std::chrono::seconds registry_patience{1};
  /// Maximum of failed runs that are counted.
  static constexpr std::size_t counted_max = 10'000;

  figure_keeper_state(protocol::figure_keeper::pointer self, protocol::node_actor node, protocol::registry_monitor registry,
                      protocol::query_worker reads, protocol::wall_clock clock);
  protocol::figure_keeper::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  caf::result<protocol::figures_told> tell();
  void read_counts();
  void take_counts(core::result<core::stored_counts>&& found);
  void ask_node();
  void ask_registry(std::vector<core::seen_node>&& nodes);
  void finish(const std::vector<core::seen_node>& nodes, std::optional<core::executor_totals> executors);
  void end_step();
  [[nodiscard]] core::live_figures figures_of(const std::vector<core::seen_node>& nodes) const;
  [[nodiscard]] bool counts_older_than(std::chrono::seconds age) const { return !counts_at_ || now() - *counts_at_ >= age; }
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::figure_keeper::pointer self_;
  protocol::node_actor node_;
  protocol::registry_monitor registry_;
  protocol::query_worker reads_;
  protocol::wall_clock clock_;
  node_counters counters_;
  core::counter_history history_;
  steady next_tick_;

  /// Last counts of the store; unset after a failure.
  std::optional<core::stored_counts> counts_;
  /// When it answered or failed.
  std::optional<steady> counts_at_;
  bool reading_counts_ = false;
  /// The answer in the making waits for the counts.
  bool waiting_for_counts_ = false;

  /// The last answer and its time.
  std::shared_ptr<const core::live_figures> answer_;
  steady answered_at_{};
  /// Requests that the answer in the making will answer. Bounded by the connections of the gateway.
  std::vector<caf::typed_response_promise<protocol::figures_told>> waiting_;
};

} // namespace ringmaster::actors
