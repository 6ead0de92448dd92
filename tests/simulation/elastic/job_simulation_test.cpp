// Random histories of elastic jobs. Each is a seed; docs/simulation.md says how to run one, or many.

#include <algorithm>
#include <cstdlib>

#include "tests/simulation/elastic/job_runs.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation::elastic;

namespace {

constexpr std::uint64_t usual_count = 100;

} // namespace

TEST_CASE("random histories keep every invariant of elastic jobs", "[simulation][elastic]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", usual_count);
  const bool chosen = std::getenv("RINGMASTER_SEED") != nullptr;
  if (chosen) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  const auto made = simulate_many(
    count, [first](auto i) { return random_job_history(first + i); }, 10);
  for (const auto& each : made.broken) {
    const auto seed = first + each.number;
    report(each, "RINGMASTER_SEED=" + std::to_string(seed) + " elastic_simulation_tests \"random histories*\"");
    FAIL_CHECK("seed " << seed << ": " << each.found.violations.front());
  }
  const auto& counts = made.counts;
  UNSCOPED_INFO(counts.fires << " fires, " << counts.prompt_fires << " of them compared with their instant, " << counts.dropped
                             << " dropped, " << counts.runs << " runs, " << counts.bodies << " bodies, " << counts.finished
                             << " finished, " << counts.lost << " lost, " << counts.takeovers << " takeovers, "
                             << counts.compensations << " compensations, " << counts.kept_results << " receipts, " << counts.stops
                             << " stops, " << counts.fenced << " steps without a right");
  if (chosen || count < 100)
    return;
  // The intended effects of the faults occurred.
  CHECK(counts.runs > 20 * count);
  CHECK(counts.lost > count / 2);
  CHECK(counts.takeovers > count / 10);
  CHECK(counts.compensations > count);
  CHECK(counts.prompt_fires > count / 4);
  CHECK(counts.stops > count / 10);
  CHECK(counts.fenced > count / 20);
}

TEST_CASE("dense histories keep every invariant of elastic jobs", "[simulation][elastic]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", usual_count / 2);
  if (std::getenv("RINGMASTER_SEED") != nullptr) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  const auto made = simulate_many(
    count, [first](auto i) { return dense_job_history(first + i); }, 10);
  for (const auto& each : made.broken) {
    const auto seed = first + each.number;
    report(each, "RINGMASTER_SEED=" + std::to_string(seed) + " elastic_simulation_tests \"dense histories*\"");
    FAIL_CHECK("seed " << seed << ": " << each.found.violations.front());
  }
}

TEST_CASE("a seed always gives the same run of elastic jobs", "[simulation][elastic]") {
  for (const std::uint64_t seed : {7U, 8U, 9U}) {
    CAPTURE(seed);
    job_world first{random_job_history(seed), {}, true}, second{random_job_history(seed), {}, true};
    CHECK(first.run() == second.run());
    CHECK(first.trace() == second.trace());
    CHECK_FALSE(first.trace().empty());
  }
}
