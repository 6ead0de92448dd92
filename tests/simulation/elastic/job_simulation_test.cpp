// Random histories of elastic jobs. Each is a seed; docs/simulation.md says how to run one, or many.

#include "tests/simulation/elastic/job_runs.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation::elastic;

TEST_CASE("random histories keep every invariant of elastic jobs", "[simulation][elastic]") {
  const auto [count, counts] = check_histories(100, random_job_history, "\"random histories keep*\"");
  UNSCOPED_INFO(counts.fires << " fires, " << counts.prompt_fires << " of them compared with their instant, " << counts.dropped
                             << " dropped, " << counts.runs << " runs, " << counts.bodies << " bodies, " << counts.finished
                             << " finished, " << counts.lost << " lost, " << counts.takeovers << " takeovers, "
                             << counts.compensations << " compensations, " << counts.kept_results << " receipts, " << counts.stops
                             << " stops, " << counts.fenced << " steps without a right");
  if (count < 100)
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
  check_histories(50, dense_job_history, "\"dense histories*\"");
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
