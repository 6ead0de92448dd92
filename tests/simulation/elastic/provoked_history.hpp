#pragma once

// Histories whose faults need one rule: each breaks an invariant with some probability if the rule does not exist.

#include <cstdint>

#include "tests/simulation/dice.hpp"
#include "tests/simulation/elastic/job_history.hpp"

namespace ringmaster::simulation::elastic {

/// Adds faults and edits to a history of two nodes and two hosts at least.
using provocation = void (*)(dice& random, job_history& in);

/// Delays the last messages of a node to a host until another node has its slots, and moves items between hosts meanwhile.
void provoke_late_grants(dice& random, job_history& in);
/// Ends the process of a host while grants are on their way to it, and starts it again.
void provoke_grants_to_ended_process(dice& random, job_history& in);
/// Stops a node until its lease is over. Around its return the node is killed, or a host has a second process.
void provoke_second_process(dice& random, job_history& in);
/// Delays the verdict of a node about a silent host until the host is back, at another node.
void provoke_late_verdicts(dice& random, job_history& in);
/// Delays transactions of a node until others have its slots.
void provoke_late_transactions(dice& random, job_history& in);

/// Returns a history that follows from the seed.
[[nodiscard]] job_history provoked_history(std::uint64_t seed, provocation provoke);

} // namespace ringmaster::simulation::elastic
