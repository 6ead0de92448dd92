#pragma once

// Many runs on all processors. Runs are independent: each has its own database, actors and time.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/elastic/job_world.hpp"

namespace ringmaster::simulation::elastic {

/// A run that broke an invariant.
struct broken_run {
  std::size_t number = 0;
  job_history what;
  job_outcome found;
};

struct many_runs {
  /// By number; no more than the limit.
  std::vector<broken_run> broken;
  job_tally counts;
};

/// Makes the runs 0 to `count` - 1, approximately in order, and stops when `broken_max` of them broke an invariant. Several
/// threads call `history_of` at once.
[[nodiscard]] many_runs simulate_many(std::size_t count, const std::function<job_history(std::size_t)>& history_of,
                                      std::size_t broken_max, const mutant& rule_off = {});

/// Prints the input and the events of a run that broke an invariant. `again`: the command that repeats it.
void report(const broken_run& run, const std::string& again);

/// Returns a number from the environment.
[[nodiscard]] std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

} // namespace ringmaster::simulation::elastic
