#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/cluster/pending_work.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Actor that asks the store with one statement what the polls of the other actors would find, and notifies them (ADR 42). Works
/// under one incarnation. Invariant: at most one question is under way, and the answer to a question of an earlier incarnation is
/// dropped.
class store_pulse_state {
public:
  static inline const char* name = "ringmaster.store_pulse";

  static constexpr std::chrono::milliseconds period{500};

  store_pulse_state(protocol::store_pulse::pointer self, protocol::store_worker worker,
                    std::vector<protocol::pulse_listener> listeners);
  protocol::store_pulse::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  void change_incarnation(const protocol::incarnation_change& change);
  void tick();
  void ask();
  void answered(core::result<core::pending_work>&& found);

  protocol::store_pulse::pointer self_;
  protocol::store_worker worker_;
  std::vector<protocol::pulse_listener> listeners_;
  std::optional<core::node_incarnation> incarnation_;
  /// Number of incarnation changes: answers to questions of an earlier one are ignored.
  std::uint64_t epoch_ = 0;
  bool asking_ = false;
  steady next_tick_{};
};

} // namespace ringmaster::actors
