#pragma once

// Histories of shared mode: nodes alongside scripted Java admins.

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// Returns a history with one or two nodes, one or two Java admins, one to four jobs, edits on both sides, crashes, graceful
/// stops, switches of the mode, faults of stores; every fifth history has none of these events.
[[nodiscard]] history shared_history(std::uint64_t seed);

/// Returns the part of a history that concerns Java admins, as readable text.
[[nodiscard]] std::string describe_shared(const history& all);

} // namespace ringmaster::simulation
