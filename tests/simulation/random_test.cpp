// Random histories. Each is a seed; docs/simulation.md says how to run one, or many.

#include <cstdlib>

#include "tests/simulation/report.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

TEST_CASE("random histories keep every invariant of the firing protocol", "[simulation]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", 1000);
  bool chosen = std::getenv("RINGMASTER_SEED") != nullptr;
  if (chosen) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  protocol_checker::tally counts;
  int failures = 0;
  for (auto seed = first; seed < first + count && failures < 10; ++seed) {
    auto what = random_history(seed);
    auto found = simulate(what);
    counts.add(found.counts);
    if (found.violations.empty())
      continue;
    ++failures;
    report(what, found, "RINGMASTER_SEED=" + std::to_string(seed) + " simulation_tests \"random histories*\"");
    FAIL_CHECK("seed " << seed << ": " << found.violations.front());
  }
  if (chosen || count < 200)
    return;
  // What the faults are there to bring about was brought about.
  CHECK(counts.executions > count);
  CHECK(counts.fences > count / 20);
  CHECK(counts.permits > count / 20);
  CHECK(counts.intents > count);
  CHECK(counts.repeated_claims > 0);
  CHECK(counts.residuals > 0);
  UNSCOPED_INFO(counts.executions << " executions, " << counts.fences << " fences, " << counts.permits << " permits, "
                                  << counts.intents << " intents, " << counts.repeated_claims << " repeated claims, "
                                  << counts.residuals << " residual windows, " << counts.edits << " edits");
  CHECK(counts.edits > count);
}

TEST_CASE("a seed is one run, whenever and however often it is made", "[simulation]") {
  for (std::uint64_t seed : {7u, 8u, 9u}) {
    CAPTURE(seed);
    world first{random_history(seed), nullptr, true}, second{random_history(seed), nullptr, true};
    CHECK(first.run() == second.run());
    CHECK(first.trace() == second.trace());
    CHECK_FALSE(first.trace().empty());
  }
}
