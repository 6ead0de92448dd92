// Nodes that stop gracefully and start again: no instant is late, and each slot has one planner in the end.

#include "tests/simulation/orderly_history.hpp"
#include "tests/simulation/report.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

void check_orderly(const history& what) {
  const auto found = simulate(what);
  if (!found.violations.empty())
    report(what, found, "simulation_tests \"[slots]\"");
  CHECK(found.violations.empty());
  CHECK(found.counts.executions > 200);
}

bool is_found(const history& what, const char* rule) {
  const auto* without = find_mutant(rule);
  REQUIRE(without != nullptr);
  const auto found = simulate(what, without, false);
  return !found.violations.empty() && found.violations.front().starts_with(without->breaks);
}

} // namespace

TEST_CASE("a node that waits for a hung executor at its stop delays no instant", "[simulation][slots]") {
  check_orderly(stop_with_hung_executor());
  CHECK(is_found(stop_with_hung_executor(), "leaveearly"));
}

TEST_CASE("a node that reads its jobs slowly at its start delays no instant", "[simulation][slots]") {
  check_orderly(slow_join());
  CHECK(is_found(slow_join(), "joinearly"));
}

TEST_CASE("nodes that come and go in good order delay no instant", "[simulation][slots]") {
  const auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  const auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", 100);
  const auto all = simulate_many(count, [first](auto i) { return orderly_history(first + i); }, 10);
  for (const auto& one : all.broken) {
    const auto seed = std::to_string(first + one.number);
    report(one.what, one.found,
           "RINGMASTER_SIMULATION_FIRST=" + seed + " RINGMASTER_SIMULATION_SEEDS=1 simulation_tests \"nodes that come and go*\"");
    FAIL_CHECK("seed " << seed << ": " << one.found.violations.front());
  }
}
