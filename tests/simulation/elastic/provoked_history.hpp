#pragma once

// Histories whose faults need one rule: each breaks an invariant with some probability if the rule does not exist.

#include <cstdint>

#include "tests/simulation/dice.hpp"
#include "tests/simulation/elastic/job_history.hpp"

namespace ringmaster::simulation::elastic {

/// Adds faults and edits to a history of two nodes and two hosts at least.
using provocation = void (*)(dice& random, job_history& in);

/// The last messages of a node to a host arrive once another node has its slots, and items have moved between hosts.
void provoke_late_grants(dice& random, job_history& in);
/// Grants are on their way to a host whose process ends, and starts again.
void provoke_grants_to_ended_process(dice& random, job_history& in);
/// A node is stopped until its lease is over, continues, and is killed.
void provoke_stale_node(dice& random, job_history& in);
/// The verdict of a node about a silent host is late: the host is back, at another node.
void provoke_late_verdicts(dice& random, job_history& in);
/// A transaction of a node begins after others have its slots.
void provoke_late_transactions(dice& random, job_history& in);

/// Returns a history that follows from the seed.
[[nodiscard]] job_history provoked_history(std::uint64_t seed, provocation provoke);

} // namespace ringmaster::simulation::elastic
