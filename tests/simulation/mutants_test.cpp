// The protocol without one of its rules must break an invariant within the exhaustive set or, if the rule is needed only when two
// faults coincide, within the first random histories. Otherwise the simulation proves nothing about that rule.

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
  std::cout << "without [" << without.rule << "], " << (one.what.faults.empty() ? "no fault" : describe(one.what.faults.back()))
            << ": " << one.found.violations.front() << '\n';
  return one.found.violations.front().starts_with(without.breaks);
}

/// `likely`: kind of firing to begin with.
bool is_caught(const mutant& without, const std::string& likely) {
  auto at_hand = permitted_and_gone();
  at_hand.insert(at_hand.end(), {queued_behind_another(), result_before_wipe(), quiet_behind_failure()});
  if (breaks(at_hand, without))
    return true;
  auto kinds = firing_kinds();
  std::stable_partition(kinds.begin(), kinds.end(), [&](const firing_kind& kind) { return kind.name == likely; });
  REQUIRE(kinds.front().name == likely);
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const firing_kind& kind) { return breaks(single_faults(kind), without); });
}

constexpr std::uint64_t random_seeds_max = 1000;

/// `likely`: seed to begin with.
bool is_caught_at_random(const mutant& without, std::uint64_t likely) {
  REQUIRE(likely <= random_seeds_max);
  const auto breaks_one = [&](std::uint64_t seed) {
    const auto found = simulate(random_history(seed), &without, false);
    if (!found.violations.empty())
      std::cout << "without [" << without.rule << "], seed " << seed << ": " << found.violations.front() << '\n';
    return !found.violations.empty();
  };
  for (std::uint64_t seed = 0; seed <= random_seeds_max; ++seed)
    if (breaks_one(seed == 0 ? likely : seed))
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
RINGMASTER_MUTANT("gate", "ask, an executor like Java's")
RINGMASTER_MUTANT("linkgate", "ask, a native link")
RINGMASTER_MUTANT("firstresult", "ask, an executor like Java's")
RINGMASTER_MUTANT("decideonce", "a run that fails and is retried")
RINGMASTER_MUTANT("permitonce", "ask, an executor like Java's")

#define RINGMASTER_RANDOM_MUTANT(rule, likely)                                                                                   \
  TEST_CASE("random histories notice when a rule is left out: " rule, "[simulation][mutants]") {                                 \
    const auto* without = find_mutant(rule);                                                                                     \
    REQUIRE(without != nullptr);                                                                                                 \
    CHECK(is_caught_at_random(*without, likely));                                                                                \
  }

RINGMASTER_RANDOM_MUTANT("nextguard", 3)
RINGMASTER_RANDOM_MUTANT("seenguard", 14)
RINGMASTER_RANDOM_MUTANT("definition", 3)
