#pragma once

#include <cstdint>

#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

/// Returns a history of nodes that stop gracefully and start again; one node, the last, stays. Their executor may stand still,
/// and their reads of jobs at the start may be slow. Nothing else happens.
[[nodiscard]] history orderly_history(std::uint64_t seed);

/// Returns a history in which a node stops while its executor stands still.
[[nodiscard]] history stop_with_hung_executor();

/// Returns a history in which the jobs of a node that joins are read slowly.
[[nodiscard]] history slow_join();

} // namespace ringmaster::simulation
