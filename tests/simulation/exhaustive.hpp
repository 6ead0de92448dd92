#pragma once

// Every fault at every await point of one firing, with two nodes.

#include <string>
#include <vector>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// A kind of firing without faults of its own.
struct firing_kind {
  std::string name;
  history base;
  /// The instant of the firing. It is claimed 200 ms before.
  span instant = 1s;
};

[[nodiscard]] std::vector<firing_kind> firing_kinds();

/// Returns the firing's history with one more fault, for each fault and each store call and request from shortly before its claim
/// until its end.
[[nodiscard]] std::vector<history> single_faults(const firing_kind& kind);

/// Histories with several faults that show the purpose of one rule.
[[nodiscard]] history queued_behind_another();
[[nodiscard]] history result_before_wipe();

/// Returns a history with a run that fails and is retried, and half a minute of quiet.
[[nodiscard]] history quiet_behind_failure();
/// Returns histories with nodes that die, or get no answer, after they were permitted to send a dead node's run again.
[[nodiscard]] std::vector<history> permitted_and_gone();
/// Returns histories with nodes that stand still between reading the live nodes and acting on it.
[[nodiscard]] std::vector<history> stale_looks();

} // namespace ringmaster::simulation
