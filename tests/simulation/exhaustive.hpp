#pragma once

// Every fault at every await point of one firing, with two nodes.

#include <string>
#include <vector>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// A firing of a certain kind without faults of its own.
struct firing_kind {
  std::string name;
  history base;
};

[[nodiscard]] std::vector<firing_kind> firing_kinds();

/// `base` with one fault more, for each fault and each call of a store and each request from shortly before its claim on until it
/// is over.
[[nodiscard]] std::vector<history> single_faults(const history& base);

/// Histories with several faults that show what one rule is for.
[[nodiscard]] history queued_behind_another();
[[nodiscard]] history result_before_wipe();

/// A run that fails and is retried, and half a minute of quiet.
[[nodiscard]] history quiet_behind_failure();
/// Nodes that die, or hear nothing, when they were permitted to send a dead one's run again.
[[nodiscard]] std::vector<history> permitted_and_gone();
/// Nodes that stand still between reading who lives and believing it.
[[nodiscard]] std::vector<history> stale_looks();

} // namespace ringmaster::simulation
