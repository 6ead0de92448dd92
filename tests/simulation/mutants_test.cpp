// The protocol without one of its rules must break an invariant within the exhaustive set: else the simulation proves nothing
// about that rule.

#include <algorithm>
#include <iostream>

#include "tests/simulation/exhaustive.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

bool breaks(const std::vector<history>& histories, const mutant& without) {
  const auto found = simulate_many(histories.size(), [&](auto i) { return histories[i]; }, 1, &without);
  if (found.broken.empty())
    return false;
  const auto& one = found.broken.front();
  std::cout << "without [" << without.rule << "], " << describe(one.what.faults.back()) << ": " << one.found.violations.front()
            << '\n';
  return true;
}

/// `likely`: the kind of firing to begin with.
bool is_caught(const mutant& without, const std::string& likely) {
  if (breaks({queued_behind_another(), result_before_wipe()}, without))
    return true;
  auto kinds = firing_kinds();
  std::stable_partition(kinds.begin(), kinds.end(), [&](const firing_kind& kind) { return kind.name == likely; });
  REQUIRE(kinds.front().name == likely);
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const firing_kind& kind) { return breaks(single_faults(kind.base), without); });
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
