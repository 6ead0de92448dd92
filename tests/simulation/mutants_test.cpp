// The protocol without one of its rules must break an invariant within the exhaustive set: else the simulation proves nothing
// about that rule.

#include <iostream>

#include "tests/simulation/exhaustive.hpp"
#include "tests/simulation/report.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

bool breaks(const history& what, const mutant& without) {
  auto found = simulate(what, &without);
  if (found.violations.empty())
    return false;
  std::cout << "without [" << without.rule << "], " << describe(what.faults.back()) << ": " << found.violations.front() << '\n';
  return true;
}

bool is_caught(const mutant& without) {
  for (const auto& what : {queued_behind_another(), result_before_wipe()})
    if (breaks(what, without))
      return true;
  for (const auto& kind : firing_kinds())
    for (const auto& what : single_faults(kind.base))
      if (breaks(what, without))
        return true;
  // What it looks like when nothing is noticed.
  for (const auto& what : {queued_behind_another(), result_before_wipe()}) {
    world seen{what, &without, true};
    outcome unnoticed{seen.run(), seen.trace(), {}, {}};
    report(what, unnoticed, "simulation_tests [mutants]");
  }
  return false;
}

} // namespace

#define RINGMASTER_MUTANT(rule)                                                                                                  \
  TEST_CASE("the simulation notices when a rule is left out: " rule, "[simulation][mutants]") {                                  \
    const auto* without = find_mutant(rule);                                                                                     \
    REQUIRE(without != nullptr);                                                                                                 \
    CHECK(is_caught(*without));                                                                                                  \
  }

RINGMASTER_MUTANT("newinc")
RINGMASTER_MUTANT("repeatok")
RINGMASTER_MUTANT("unknown")
RINGMASTER_MUTANT("adoptcas")
RINGMASTER_MUTANT("handfirst")
RINGMASTER_MUTANT("ownerfail")
RINGMASTER_MUTANT("noretry")
RINGMASTER_MUTANT("askorder")
RINGMASTER_MUTANT("retrytx")
