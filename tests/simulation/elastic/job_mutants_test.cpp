// Rules of elastic jobs: each mutant must break an invariant in one of its histories, which keep all of them with the rule.

#include <string>

#include "tests/simulation/elastic/job_runs.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation::elastic;

TEST_CASE("provoked histories keep every invariant of elastic jobs", "[simulation][elastic]") {
  for (const auto& each : mutants())
    if (each.provoke != nullptr)
      DYNAMIC_SECTION(each.name) {
        const auto history_of = [&](auto seed) { return provoked_history(seed, each.provoke); };
        check_histories(20, history_of, "\"provoked histories*\" -c " + std::string{each.name});
      }
}

TEST_CASE("random histories find each mutant of elastic jobs", "[.][mutants]") {
  const auto count = from_environment("RINGMASTER_SIMULATION_MUTANT_SEEDS", 300);
  for (const auto& each : mutants())
    DYNAMIC_SECTION(each.name) {
      CAPTURE(each.without);
      const auto made = simulate_many(
        count,
        [&](auto i) { return each.provoke != nullptr ? provoked_history(1 + i, each.provoke) : random_job_history(1 + i); },
        1, each);
      CHECK_FALSE(made.broken.empty());
      for (const auto& broken : made.broken)
        WARN("seed " << broken.number + 1 << ": " << broken.found.violations.front());
    }
}
