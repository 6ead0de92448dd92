#pragma once

#include <string>

#include "tests/simulation/world.hpp"
#include "tests/support/from_environment.hpp"

namespace ringmaster::simulation {

using test::from_environment;

/// Prints the input and the events of a run that broke an invariant. `again`: the command that repeats it.
void report(const history& what, const outcome& found, const std::string& again);

} // namespace ringmaster::simulation
