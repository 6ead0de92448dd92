#pragma once

// Histories of shared mode: nodes beside scripted Java admins.

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// One or two nodes, one or two Java admins, one to four jobs, edits on both sides, crashes, graceful stops, switches of the
/// mode, faults of stores; every fifth history has none of them.
[[nodiscard]] history shared_history(std::uint64_t seed);

/// What a history has beside Java admins, for a person.
[[nodiscard]] std::string describe_shared(const history& all);

} // namespace ringmaster::simulation
