// Random histories. Each is a seed:
//
//   RINGMASTER_SEED=17 simulation_tests "random histories*"                one, with its trace if it fails
//   RINGMASTER_SIMULATION_SEEDS=100000 RINGMASTER_SIMULATION_FIRST=5000 …  many

#include <cstdlib>
#include <iostream>

#include "tests/simulation/world.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* set = std::getenv(name);
  return set != nullptr ? std::strtoull(set, nullptr, 10) : otherwise;
}

void report(const history& what, const outcome& found) {
  std::cout << describe(what);
  for (const auto& line : found.trace)
    std::cout << "    " << line << '\n';
  for (const auto& line : found.violations)
    std::cout << "  violated: " << line << '\n';
  std::cout << "  again: RINGMASTER_SEED=" << what.seed << " simulation_tests \"random histories*\"\n";
}

} // namespace

TEST_CASE("random histories keep every invariant of the firing protocol", "[simulation]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", 1000);
  if (std::getenv("RINGMASTER_SEED") != nullptr) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  std::size_t executions = 0;
  int failures = 0;
  for (auto seed = first; seed < first + count && failures < 10; ++seed) {
    auto what = random_history(seed);
    auto found = simulate(what);
    executions += found.executions;
    if (!found.violations.empty()) {
      ++failures;
      report(what, found);
      FAIL_CHECK("seed " << seed << ": " << found.violations.front());
    }
  }
  CHECK(executions > count);
}
