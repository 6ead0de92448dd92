#pragma once

// Many runs on all processors. Runs are independent: each has its own database, actors and time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/elastic/job_world.hpp"
#include "tests/support/from_environment.hpp"

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

using test::from_environment;

/// Runs of a test.
struct checked_runs {
  std::uint64_t count = 0;
  job_tally counts;
};

/// Makes the runs of the seeds that the environment chooses (docs/simulation.md), else of 1 to `usual_count`. Fails the test for
/// each run that breaks an invariant, with the command that repeats it. `test`: the arguments that choose the test.
checked_runs check_histories(std::uint64_t usual_count, const std::function<job_history(std::uint64_t)>& history_of,
                             const std::string& test);

} // namespace ringmaster::simulation::elastic
