// One fault at each await point of one firing. RINGMASTER_SIMULATION_ALL=1 makes every run; otherwise every third is made.

#include "tests/simulation/exhaustive.hpp"
#include "tests/simulation/report.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

TEST_CASE("one fault at each await point of a firing breaks no invariant", "[simulation]") {
  auto step = from_environment("RINGMASTER_SIMULATION_ALL", 0) != 0 ? 1u : 3u;
  auto kinds = firing_kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    auto all = single_faults(kinds[kind]);
    CAPTURE(kinds[kind].name, all.size());
    CHECK(all.size() > 100);
    auto first = kind % step;
    auto some = simulate_many((all.size() - first + step - 1) / step, [&](auto i) { return all[first + i * step]; }, 3);
    for (const auto& one : some.broken) {
      report(one.what, one.found, "RINGMASTER_SIMULATION_ALL=1 simulation_tests \"one fault*\"");
      FAIL_CHECK(kinds[kind].name << ", " << describe(one.what.faults.back()) << ": " << one.found.violations.front());
    }
  }
}

TEST_CASE("histories that show the purpose of a rule break no invariant", "[simulation]") {
  auto all = stale_looks();
  CHECK(all.size() > 10);
  const auto permitted = permitted_and_gone();
  CHECK_FALSE(permitted.empty());
  all.insert(all.end(), permitted.begin(), permitted.end());
  all.insert(all.end(), {queued_behind_another(), result_before_wipe(), quiet_behind_failure()});
  for (const auto& what : all) {
    auto found = simulate(what);
    if (!found.violations.empty())
      report(what, found, "simulation_tests \"histories that*\"");
    CHECK(found.violations.empty());
  }
}
