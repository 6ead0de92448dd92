// Nodes alongside Java admins (firing protocol §8): random histories, and the rules of shared mode left out one by one.

#include <cstdlib>
#include <iostream>

#include "tests/simulation/report.hpp"
#include "tests/simulation/shared_history.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

constexpr std::uint64_t mutant_seeds_max = 300;

bool breaks(std::uint64_t seed, const mutant& without) {
  const auto found = simulate(shared_history(seed), &without, false);
  if (!found.violations.empty())
    std::cout << "without [" << without.rule << "], seed " << seed << ": " << found.violations.front() << '\n';
  return !found.violations.empty();
}

/// One of a bounded number of seeds shows that the rule is left out; `likely`: the seed to begin with.
bool is_caught(const std::string& rule, std::uint64_t likely) {
  const auto* without = find_mutant(rule);
  REQUIRE(without != nullptr);
  REQUIRE(likely <= mutant_seeds_max);
  for (std::uint64_t seed = 0; seed <= mutant_seeds_max; ++seed)
    if (breaks(seed == 0 ? likely : seed, *without))
      return true;
  return false;
}

} // namespace

TEST_CASE("beside Java admins nothing is fired twice, and nothing is lost", "[simulation][shared]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", 300);
  const bool chosen = std::getenv("RINGMASTER_SEED") != nullptr;
  if (chosen) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  const auto all = simulate_many(count, [first](auto i) { return shared_history(first + i); }, 10);
  for (const auto& one : all.broken) {
    const auto seed = first + one.number;
    report(one.what, one.found, "RINGMASTER_SEED=" + std::to_string(seed) + " simulation_tests \"beside Java*\"");
    FAIL_CHECK("seed " << seed << ": " << one.found.violations.front());
  }
  if (chosen || count < 300)
    return;
  const auto& counts = all.shared_counts;
  INFO(counts.reserved << " reserved, " << counts.claimed << " claimed, " << counts.given_back << " given back, "
                       << counts.dropped << " dropped at their claim, " << counts.java_fired << " fired by Java admins, "
                       << counts.java_lost << " lost by them, " << counts.console_edits << " edits at consoles, "
                       << counts.edits_across_switches << " of them across a switch, " << counts.java_misfires
                       << " misfires by Java admins, " << counts.switches << " switches, " << counts.failed_switches
                       << " that gave up, " << counts.residuals << " residuals");
  // The intended effects of the histories occurred.
  CHECK(counts.reserved > 10 * count);
  CHECK(counts.claimed > 5 * count);
  CHECK(counts.java_fired > count);
  CHECK(counts.java_lost > 0);
  CHECK(counts.given_back > count / 4);
  CHECK(counts.dropped > count / 4);
  CHECK(counts.console_edits > count / 4);
  CHECK(counts.switches > count / 4);
  CHECK(counts.failed_switches > count / 100);
  CHECK(counts.edits_across_switches > count / 50);
  CHECK(counts.java_misfires > count / 100);
  CHECK(counts.residuals > 0);
  CHECK(counts.residuals < counts.claimed / 40);
  CHECK(all.counts.executions > 5 * count);
}

TEST_CASE("a graceful stop of the only node alongside a Java admin loses nothing", "[simulation][shared]") {
  // Before 2.5, from 2.5 on, from 3.4 on.
  constexpr java_script generations[] = {{.pass_takes = 60ms, .sleeps = true, .stalls = {}, .crashes = {}},
                                         {.pass_takes = 60ms, .guards_status = true, .sleeps = true, .stalls = {}, .crashes = {}},
                                         {.pass_takes = 60ms, .guards_status = true, .sleeps = true, .late_at_once = true,
                                          .stalls = {}, .crashes = {}}};
  for (const auto& java : generations)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      history what;
      what.seed = seed;
      what.shared = true;
      what.nodes = 1;
      what.lasts_at_least = 50s;
      what.java = {java};
      what.jobs = {make_job("every-second", "2-41/1 0 12 2 3 ? *", 20ms), make_job("every-other", "2-40/2 0 12 2 3 ? *", 20ms),
                   make_job("every-third", "3-39/3 0 12 2 3 ? *", 20ms)};
      const auto at = 9000ms + milliseconds{seed * 137};
      what.stops = {{at, "a", milliseconds{seed % 2 == 0 ? 60'000 : 9000}}};
      const auto found = simulate(what);
      const auto& counts = found.shared_counts;
      INFO("seed " << seed << ", status guarded " << java.guards_status << ", late at once " << java.late_at_once << ": "
                   << counts.claimed << " claimed, " << counts.java_fired << " fired by the Java admin, " << counts.java_left_out
                   << " left out by it");
      CHECK(found.violations.empty());
      CHECK(counts.given_back == 0);
      CHECK(counts.java_left_out == 0);
      CHECK(counts.claimed + counts.java_fired == 40 + 20 + 13);
      CHECK(counts.java_fired > 0);
    }
}

TEST_CASE("a seed of shared mode always gives the same run", "[simulation][shared]") {
  for (std::uint64_t seed : {3u, 4u}) {
    CAPTURE(seed);
    world first{shared_history(seed), nullptr, true}, second{shared_history(seed), nullptr, true};
    CHECK(first.run() == second.run());
    CHECK(first.trace() == second.trace());
    CHECK_FALSE(first.trace().empty());
  }
}

#define RINGMASTER_SHARED_MUTANT(rule, likely)                                                                                   \
  TEST_CASE("beside Java admins the simulation notices when a rule is left out: " rule, "[simulation][mutants][shared]") {       \
    CHECK(is_caught(rule, likely));                                                                                              \
  }

RINGMASTER_SHARED_MUTANT("reservelock", 1)
RINGMASTER_SHARED_MUTANT("editlock", 146)
RINGMASTER_SHARED_MUTANT("keeplast", 146)
RINGMASTER_SHARED_MUTANT("keepreserved", 8)
RINGMASTER_SHARED_MUTANT("lookagain", 4)
RINGMASTER_SHARED_MUTANT("remember", 262)
RINGMASTER_SHARED_MUTANT("backinorder", 118)
RINGMASTER_SHARED_MUTANT("backdue", 1)
RINGMASTER_SHARED_MUTANT("takenext", 4)
RINGMASTER_SHARED_MUTANT("closetable", 4)
RINGMASTER_SHARED_MUTANT("stayclosed", 95)
