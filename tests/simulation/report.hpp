#pragma once

#include <cstdint>
#include <string>

#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

/// Returns a number from the environment.
[[nodiscard]] std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

/// Prints the input and the events of a run that broke an invariant. `again`: the command that repeats it.
void report(const history& what, const outcome& found, const std::string& again);

} // namespace ringmaster::simulation
