// The protocol without one of its rules must break an invariant within the exhaustive set: else the simulation proves nothing
// about that rule.

#include <algorithm>
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

/// `likely`: the kind of firing to begin with.
bool is_caught(const mutant& without, const std::string& likely) {
  for (const auto& what : {queued_behind_another(), result_before_wipe()})
    if (breaks(what, without))
      return true;
  auto kinds = firing_kinds();
  std::stable_partition(kinds.begin(), kinds.end(), [&](const firing_kind& kind) { return kind.name == likely; });
  REQUIRE(kinds.front().name == likely);
  for (const auto& kind : kinds)
    for (const auto& what : single_faults(kind.base))
      if (breaks(what, without))
        return true;
  return false;
}

} // namespace

#define RINGMASTER_MUTANT(rule, likely)                                                                                          \
  TEST_CASE("the simulation notices when a rule is left out: " rule, "[simulation][mutants]") {                                  \
    const auto* without = find_mutant(rule);                                                                                     \
    REQUIRE(without != nullptr);                                                                                                 \
    CHECK(is_caught(*without, likely));                                                                                          \
  }

RINGMASTER_MUTANT("newinc", "ask, an executor like Java's")
RINGMASTER_MUTANT("repeatok", "ask, an executor that remembers")
RINGMASTER_MUTANT("unknown", "a run that takes longer than its request may")
RINGMASTER_MUTANT("adoptcas", "ask, an executor like Java's")
RINGMASTER_MUTANT("handfirst", "ask, an executor like Java's")
RINGMASTER_MUTANT("ownerfail", "a run that is refused and retried")
RINGMASTER_MUTANT("noretry", "skip")
RINGMASTER_MUTANT("askorder", "ask, an executor like Java's")
RINGMASTER_MUTANT("retrytx", "a run that fails and is retried")
RINGMASTER_MUTANT("selfrec", "ask, an executor like Java's")
RINGMASTER_MUTANT("editwait", "an edit while a run is claimed")
