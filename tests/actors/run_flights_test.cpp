// run_flights: batches of runs on their way over a native link; and sent_ids, which remembers them.

#include <chrono>
#include <utility>

#include "actors/executors/run_flights.hpp"
#include "actors/executors/sent_ids.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::run_flights;

namespace {

constexpr run_flights::steady first_sent{1h};

std::vector<actors::waiting_run> some_runs(std::size_t count) { return std::vector<actors::waiting_run>(count); }

} // namespace

TEST_CASE("a window has room again when a batch has ended", "[actors][links]") {
  run_flights flights;
  CHECK(flights.empty());
  CHECK(flights.has_room(run_flights::runs_max, run_flights::bytes_max));
  const auto first = flights.add(some_runs(2000), 100, first_sent);
  const auto second = flights.add(some_runs(48), run_flights::bytes_max - 100, first_sent + 1s);
  CHECK(first != second);
  CHECK_FALSE(flights.has_room(1, 0));
  CHECK_FALSE(flights.has_room(0, 1));
  CHECK(flights.oldest() == first_sent);
  CHECK(flights.size_of(first) == 2000u);
  CHECK(flights.take(first).runs.size() == 2000);
  CHECK_FALSE(flights.size_of(first));
  CHECK(flights.has_room(2000, 100));
  CHECK_FALSE(flights.has_room(2000, 101));
  CHECK(flights.oldest() == first_sent + 1s);
}

TEST_CASE("a batch whose runs were taken at their deadline keeps its room until it ends", "[actors][links]") {
  run_flights flights;
  const auto first = flights.add(some_runs(2000), 100, first_sent);
  const auto second = flights.add(some_runs(48), 100, first_sent + 1s);
  const auto late = flights.take_late(first_sent);
  REQUIRE(late.size() == 1);
  CHECK(late[0].runs.size() == 2000);
  CHECK(late[0].sent == first_sent);
  CHECK_FALSE(flights.has_room(1, 0));
  CHECK(flights.size_of(first) == 2000u);
  CHECK(flights.take(first).runs.empty());
  CHECK(flights.has_room(2000, 0));
  CHECK(flights.take(second).runs.size() == 48);
  CHECK(flights.empty());
  CHECK_FALSE(flights.oldest());
}

TEST_CASE("all batches end at once with the runs that are left", "[actors][links]") {
  run_flights flights;
  flights.add(some_runs(1), 10, first_sent);
  flights.add(some_runs(2), 10, first_sent + 1s);
  static_cast<void>(flights.take_late(first_sent));
  const auto all = flights.take_all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].runs.empty());
  CHECK(all[1].runs.size() == 2);
  CHECK(all[1].sent == first_sent + 1s);
  CHECK(flights.empty());
  CHECK(flights.has_room(run_flights::runs_max, run_flights::bytes_max));
}

TEST_CASE("sent ids forget the oldest beyond their limit", "[actors][links]") {
  actors::sent_ids sent{2};
  for (auto id : {1, 2, 2, 3})
    sent.add(core::log_id{id});
  CHECK_FALSE(sent.contains(core::log_id{1}));
  CHECK(sent.contains(core::log_id{2}));
  CHECK(sent.contains(core::log_id{3}));
}
