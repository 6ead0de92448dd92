// Each mutant must break an invariant in one of these histories.

#include "tests/simulation/elastic/job_runs.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation::elastic;

TEST_CASE("random histories find each mutant of elastic jobs", "[.][mutants]") {
  const auto count = from_environment("RINGMASTER_SIMULATION_MUTANT_SEEDS", 300);
  for (const auto& each : mutants())
    DYNAMIC_SECTION(each.name) {
      CAPTURE(each.without);
      const auto made = simulate_many(
        count, [](auto i) { return random_job_history(1 + i); }, 1, each);
      CHECK_FALSE(made.broken.empty());
      for (const auto& broken : made.broken)
        WARN("seed " << broken.number + 1 << ": " << broken.found.violations.front());
    }
}
