// The totals of the last 15 minutes.

#include "core/cluster/counter_history.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::counter_history;
using core::counter_totals;

namespace {

constexpr counter_history::steady began{1'000s};
const auto wall_began = core::from_ms(1'767'225'600'000);

counter_totals totals_of(std::int64_t fired, std::int64_t failed = 0, std::int64_t results = 0) {
  return {fired, failed, results, {fired}};
}

} // namespace

TEST_CASE("a history without an ended step has no counts", "[unit][figures]") {
  const counter_history history{began, wall_began, totals_of(40, 4)};
  CHECK(history.series().fired.empty());
  CHECK(history.series().from == wall_began);
  CHECK(history.rates_at(began + 900ms, totals_of(90)).fired == 0);
  CHECK(history.rates_at(began + 2s, totals_of(90, 4, 10)).fired == 25);
  CHECK(history.rates_at(began + 2s, totals_of(90, 4, 10)).results == 5);
  CHECK(history.lateness(totals_of(90))[0] == 50);
}

TEST_CASE("each step counts what happened in it", "[unit][figures]") {
  counter_history history{began, wall_began, totals_of(40)};
  history.add(began + 5s, wall_began + 5s, totals_of(45, 1));
  history.add(began + 10s, wall_began + 10s, totals_of(45, 1));
  history.add(began + 15s, wall_began + 15s, totals_of(65, 3));
  const auto series = history.series();
  CHECK(series.from == wall_began);
  CHECK(series.fired == std::vector<std::int64_t>{5, 0, 20});
  CHECK(series.failed == std::vector<std::int64_t>{1, 0, 2});
  CHECK(history.rates_at(began + 20s, totals_of(65)).fired == 2);
}

TEST_CASE("a tick too early and the second tick of a step change nothing", "[unit][figures]") {
  counter_history history{began, wall_began, totals_of(0)};
  history.add(began + 4'999ms, wall_began + 5s, totals_of(3));
  CHECK(history.series().fired.empty());
  history.add(began + 5'010ms, wall_began + 5s, totals_of(4));
  history.add(began + 5'020ms, wall_began + 5s, totals_of(5));
  CHECK(history.series().fired == std::vector<std::int64_t>{4});
  // A late tick moves no step.
  history.add(began + 10s, wall_began + 10s, totals_of(6));
  CHECK(history.series().fired == std::vector<std::int64_t>{4, 2});
}

TEST_CASE("steps without a tick are empty", "[unit][figures]") {
  counter_history history{began, wall_began, totals_of(0)};
  history.add(began + 5s, wall_began + 5s, totals_of(2));
  history.add(began + 20s, wall_began + 20s, totals_of(9));
  CHECK(history.series().fired == std::vector<std::int64_t>{2, 0, 0, 7});
  history.add(began + 24h, wall_began + 24h, totals_of(10));
  const auto series = history.series();
  REQUIRE(series.fired.size() == counter_history::steps);
  CHECK(series.fired.front() == 0);
  CHECK(series.fired.back() == 1);
  CHECK(series.from == wall_began + 24h - counter_history::step * counter_history::steps);
}

TEST_CASE("a history keeps 15 minutes", "[unit][figures]") {
  counter_history history{began, wall_began, totals_of(0)};
  for (int i = 1; i <= 1'000; ++i)
    history.add(began + i * 5s, wall_began + i * 5s, totals_of(i * 10));
  const auto series = history.series();
  CHECK(series.fired == std::vector<std::int64_t>(180, 10));
  CHECK(series.from == wall_began + 820 * 5s);
  CHECK(history.lateness(totals_of(10'000))[0] == 1'800);
}
