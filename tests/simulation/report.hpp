#pragma once

#include <cstdint>
#include <string>

#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

/// A number from the environment.
[[nodiscard]] std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

/// Writes down what a run that broke an invariant was given and what happened in it. `again`: the command that repeats it.
void report(const history& what, const outcome& found, const std::string& again);

} // namespace ringmaster::simulation
