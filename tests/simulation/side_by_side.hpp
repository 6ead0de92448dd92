#pragma once

// Many runs of the simulation on all processors. Runs are independent: each has its own database, actors and time.

#include <cstddef>
#include <functional>
#include <vector>

#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

/// A run that broke an invariant.
struct broken_run {
  std::size_t number = 0;
  history what;
  outcome found;
};

struct many_runs {
  /// Broken runs by number; no more than the limit.
  std::vector<broken_run> broken;
  protocol_checker::tally counts;
  shared_checker::tally shared_counts;
};

/// Makes the runs 0 to `count` - 1, approximately in order, and stops when `broken_max` of them broke an invariant. Several
/// threads call `history_of` at once. `rule_off`: a rule that the runs leave out; null: none.
[[nodiscard]] many_runs simulate_many(std::size_t count, const std::function<history(std::size_t)>& history_of,
                                      std::size_t broken_max, const mutant* rule_off = nullptr,
                                      const database_maker& make = make_memory_database);

} // namespace ringmaster::simulation
