// Random histories. Each is a seed; docs/simulation.md says how to run one, or many.

#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "tests/simulation/report.hpp"
#include "tests/simulation/side_by_side.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::simulation;

namespace {

/// Returns a number for all events of a run: its trace, and each store call and request with its time.
std::uint64_t digest_of(world& made) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
  const auto add = [&sum](std::string_view text) {
    for (unsigned char one : text)
      sum = (sum ^ one) * 0x100'0000'01b3;
  };
  for (const auto& line : made.run())
    add(line);
  for (const auto& line : made.trace())
    add(line);
  for (const auto& point : made.points)
    add(point.node + point.name + std::to_string(point.at.count()));
  return sum;
}

/// With fewer histories a rare effect may be missing.
constexpr std::uint64_t usual_count = 1000;

} // namespace

TEST_CASE("random histories keep every invariant of the firing protocol", "[simulation]") {
  auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  auto count = from_environment("RINGMASTER_SIMULATION_SEEDS", usual_count);
  bool chosen = std::getenv("RINGMASTER_SEED") != nullptr;
  if (chosen) {
    first = from_environment("RINGMASTER_SEED", 1);
    count = 1;
  }
  auto all = simulate_many(count, [first](auto i) { return random_history(first + i); }, 10);
  const auto& counts = all.counts;
  for (const auto& one : all.broken) {
    auto seed = first + one.number;
    report(one.what, one.found, "RINGMASTER_SEED=" + std::to_string(seed) + " simulation_tests \"random histories*\"");
    FAIL_CHECK("seed " << seed << ": " << one.found.violations.front());
  }
  if (chosen || count < 200)
    return;
  // The intended effects of the faults occurred.
  CHECK(counts.executions > count);
  CHECK(counts.fences > count / 20);
  CHECK(counts.permits > count / 20);
  CHECK(counts.intents > count);
  CHECK((counts.repeated_claims > 0 || count < usual_count));
  CHECK(counts.residuals > 0);
  UNSCOPED_INFO(counts.executions << " executions, " << counts.fences << " fences, " << counts.permits << " permits, "
                                  << counts.intents << " intents, " << counts.repeated_claims << " repeated claims, "
                                  << counts.residuals << " residual windows, " << counts.edits << " edits, "
                                  << counts.acknowledged << " of them acknowledged");
  CHECK(counts.edits > count);
  CHECK(counts.acknowledged > count / 3);
  UNSCOPED_INFO(counts.native_runs << " runs over native links, " << counts.native_results << " results, "
                                   << counts.native_denials << " denials");
  CHECK(counts.native_runs > count);
  CHECK(counts.native_results > count / 2);
  CHECK(counts.native_denials > 0);
}

TEST_CASE("a seed always gives the same run", "[simulation]") {
  for (std::uint64_t seed : {7u, 8u, 9u}) {
    CAPTURE(seed);
    world first{random_history(seed), nullptr, true}, second{random_history(seed), nullptr, true};
    CHECK(first.run() == second.run());
    CHECK(first.trace() == second.trace());
    CHECK_FALSE(first.trace().empty());
  }
}

// The question /idleBeat reached a process with nothing to do, /log the stopped one that has the run in its queue.
TEST_CASE("two processes behind one registered address answer one question each", "[simulation]") {
  CHECK(simulate(random_history(4304)).violations.empty());
}

// A locked job with a fixed rate and an end drops what it missed; counted again from that moment, its schedule has ended.
TEST_CASE("a fixed rate counts again from the moment at which missed instants were dropped", "[simulation]") {
  CHECK(simulate(random_history(205'668)).violations.empty());
}

// Shows whether a change of the simulation left its histories as they were: run it before and after.
TEST_CASE("digests of random histories", "[.][digest]") {
  const auto first = from_environment("RINGMASTER_SIMULATION_FIRST", 1);
  for (auto seed = first; seed < first + from_environment("RINGMASTER_SIMULATION_SEEDS", 300); ++seed) {
    world made{random_history(seed), nullptr, true};
    std::cout << seed << ' ' << std::hex << std::setfill('0') << std::setw(16) << digest_of(made) << std::dec << '\n';
  }
}
