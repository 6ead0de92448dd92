// The windows of the trigger pool, the share of one executor, and slow jobs.

#include <string>
#include <vector>

#include "core/routing/lanes.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

constexpr auto whole_minute = from_ms(1'772'452'800'000); // on a whole minute
constexpr job_id slow{7};
constexpr job_id other{8};

lane_limits small() { return {{3, 2}, 500ms, 2, 128}; }

std::string address_of(std::size_t i) { return "http://10.0.0." + std::to_string(i) + ":9999/"; }

/// Returns `count` runs, each to a different executor.
std::vector<planned_run> runs_to_all(std::size_t count) {
  std::vector<planned_run> runs(count);
  for (std::size_t i = 0; i < count; ++i)
    runs[i].address = address_of(i);
  return runs;
}

/// Lanes with a clock that the test moves.
struct lanes_at {
  lanes windows;
  lanes::steady now{1h};

  bool take(std::uint8_t lane, std::size_t count) {
    return windows.take(lane, runs_to_all(count), now) == lane_room::taken;
  }
  void give_back(std::uint8_t lane, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      windows.give_back(lane, address_of(i));
  }
  /// Takes a slot for one run to one executor.
  lane_room take_for(const std::string& address) {
    planned_run run;
    run.address = address;
    return windows.take(fast_lane, std::span{&run, 1}, now);
  }
  /// Takes as many slots as the executor may have now and sends at once.
  std::size_t send_all(const std::string& address) {
    std::size_t count = 0;
    while (take_for(address) == lane_room::taken) {
      windows.sent(address, now);
      ++count;
    }
    return count;
  }
  void end(const std::string& address, bool answered, std::size_t count, std::chrono::microseconds elapsed) {
    for (std::size_t i = 0; i < count; ++i) {
      windows.give_back(fast_lane, address);
      windows.ended(address, answered, elapsed, now);
    }
  }
};

} // namespace

TEST_CASE("a lane grants all requested slots or none") {
  lanes_at at{lanes{small()}};
  CHECK(at.take(fast_lane, 2));
  CHECK_FALSE(at.take(fast_lane, 2));
  CHECK(at.windows.used(fast_lane) == 2);
  CHECK(at.take(fast_lane, 1));
  CHECK_FALSE(at.take(fast_lane, 1));
  CHECK(at.take(fast_lane, 0));
}

TEST_CASE("the lanes do not take slots from each other") {
  lanes_at at{lanes{small()}};
  REQUIRE(at.take(fast_lane, 3));
  CHECK(at.take(slow_lane, 2));
  CHECK_FALSE(at.take(slow_lane, 1));
  at.give_back(fast_lane, 3);
  CHECK_FALSE(at.take(slow_lane, 1));
}

TEST_CASE("more runs than a window pass only through an empty lane") {
  lanes_at at{lanes{small()}};
  REQUIRE(at.take(fast_lane, 1));
  CHECK_FALSE(at.take(fast_lane, 10));
  at.give_back(fast_lane, 1);
  CHECK(at.take(fast_lane, 10));
  CHECK_FALSE(at.take(fast_lane, 1));
  CHECK(at.take(fast_lane, 0));
  at.give_back(fast_lane, 10);
  CHECK(at.windows.used(fast_lane) == 0);
  CHECK(at.take(fast_lane, 3));
}

TEST_CASE("giving back more than was taken does not wrap") {
  lanes_at at{lanes{small()}};
  REQUIRE(at.take(fast_lane, 1));
  at.windows.give_back(fast_lane, address_of(0), 5);
  at.windows.give_back(fast_lane, "http://unknown/", 5);
  CHECK(at.windows.used(fast_lane) == 0);
  CHECK(at.take(fast_lane, 3));
  CHECK_FALSE(at.take(fast_lane, 1));
}

TEST_CASE("a single executor gets four fifths of a lane, and the rest serves the others") {
  lanes_at at{lanes{lane_limits{}}};
  CHECK(at.send_all("hangs") == 3277);
  CHECK(at.send_all("second") == 656);
  CHECK(at.send_all("third") == 131);
  CHECK(at.take_for("healthy") == lane_room::taken);
  CHECK(at.take_for("hangs") == lane_room::full);
}

TEST_CASE("an executor that answers gets its share repeatedly, a hanging one does not") {
  lanes_at at{lanes{lane_limits{}}};
  for (int round = 0; round < 3; ++round) {
    REQUIRE(at.send_all("answers") == 3277);
    at.now += 10ms;
    at.end("answers", true, 3277, 10ms);
    at.now += 10s;
  }
  REQUIRE(at.send_all("hangs") == 3277);
  at.now += 500ms;
  CHECK(at.take_for("hangs") == lane_room::full); // it appears only busy so far
  at.now += 1ms;
  CHECK(at.take_for("hangs") == lane_room::silent);
  at.now += 2499ms;
  at.end("hangs", false, 3277, 3s);
  for (int round = 0; round < 3; ++round) {
    CHECK(at.send_all("hangs") == 128);
    CHECK(at.take_for("hangs") == lane_room::silent);
    CHECK(at.send_all("answers") > 3000);
    at.now += 3s;
    at.end("answers", true, at.windows.used(fast_lane) - 128, 3s);
    at.end("hangs", false, 128, 3s);
    at.now += 10s;
  }
  REQUIRE(at.take_for("hangs") == lane_room::taken);
  at.windows.sent("hangs", at.now);
  at.now += 1ms;
  at.end("hangs", true, 1, 1ms);
  CHECK(at.send_all("hangs") == 3277);
}

TEST_CASE("an executor that answered just now is not silent, even if an answer was lost") {
  lanes_at at{lanes{lane_limits{}}};
  REQUIRE(at.take_for("busy") == lane_room::taken);
  at.windows.sent("busy", at.now);
  REQUIRE(at.send_all("busy") == 3276);
  for (int i = 0; i < 30; ++i) {
    at.now += 100ms;
    at.end("busy", true, 1, 100ms);
  }
  at.end("busy", false, 1, 3s);
  CHECK_FALSE(at.windows.is_silent("busy", at.now));
}

TEST_CASE("a run that is handed over ahead of its time is owed only from that time on") {
  lanes_at at{lanes{lane_limits{}}};
  REQUIRE(at.take_for("asleep") == lane_room::taken);
  at.windows.sent("asleep", at.now + 1s);
  at.now += 1400ms;
  CHECK_FALSE(at.windows.is_silent("asleep", at.now));
  at.now += 101ms;
  CHECK(at.windows.is_silent("asleep", at.now));
}

TEST_CASE("an executor that refuses connections or was not contacted is not silent") {
  lanes_at at{lanes{lane_limits{}}};
  for (int i = 0; i < 100; ++i) {
    REQUIRE(at.send_all("refuses") == 3277);
    at.now += 20ms;
    at.end("refuses", false, 3277, 20ms);
  }
  REQUIRE(at.take_for("withheld") == lane_room::taken);
  at.windows.sent("withheld", at.now);
  at.windows.withheld("withheld");
  at.now += 10s;
  CHECK_FALSE(at.windows.is_silent("withheld", at.now));
}

TEST_CASE("a silent executor takes part in every broadcast, within its share") {
  lanes_at at{lanes{lane_limits{}}};
  REQUIRE(at.send_all("hangs") == 3277);
  at.now += 1s;
  at.windows.give_back(fast_lane, "hangs", 3000);
  std::vector<planned_run> both(2);
  both[0].address = "hangs";
  both[1].address = "answers";
  both[0].part = {0, 2, true};
  both[1].part = {1, 2, true};
  CHECK(at.windows.take(fast_lane, both, at.now) == lane_room::taken);
  auto alone = std::span{both}.first(1);
  CHECK(at.windows.take(fast_lane, alone, at.now) == lane_room::silent);
  auto sent = 1;
  while (at.windows.take(fast_lane, both, at.now) == lane_room::taken)
    ++sent;
  CHECK(sent < 1700); // 1 909 would fill the lane
  CHECK(at.take_for("healthy") == lane_room::taken);
}

TEST_CASE("unused executors are forgotten, including silent ones") {
  lanes_at at{lanes{lane_limits{}}};
  REQUIRE(at.take_for("gone") == lane_room::taken);
  at.windows.sent("gone", at.now);
  at.now += 1h;
  at.windows.forget_unused(at.now, 10min);
  CHECK(at.windows.is_silent("gone", at.now));
  at.end("gone", false, 1, 3s);
  at.windows.forget_unused(at.now, 10min);
  CHECK(at.windows.is_silent("gone", at.now));
  at.now += 11min;
  at.windows.forget_unused(at.now, 10min);
  CHECK_FALSE(at.windows.is_silent("gone", at.now));
}

TEST_CASE("slots are counted by lane and executor") {
  planned_run here;
  here.address = "here";
  auto there = here;
  there.address = "there";
  there.lane = slow_lane;
  held_slots held;
  held.add(here);
  held.add(here);
  held.add(there);
  held.take_off(here);
  held_slots expected;
  expected.add(there);
  expected.add(here);
  CHECK(held == expected);
  held.take_off(here);
  held.take_off(here);
  held.take_off(there);
  CHECK(held.empty());
  held.add(expected);
  CHECK(held == expected);
}

TEST_CASE("more slow sends than the limit in one minute make a job slow until the minute ends") {
  lanes windows{small()};
  for (int i = 0; i < 2; ++i)
    windows.took(slow, 501ms, whole_minute + 10s);
  CHECK(windows.lane_of(slow, whole_minute + 10s) == fast_lane);
  windows.took(slow, 501ms, whole_minute + 59s);
  CHECK(windows.lane_of(slow, whole_minute + 59s) == slow_lane);
  CHECK(windows.lane_of(other, whole_minute + 59s) == fast_lane);
  CHECK(windows.lane_of(slow, whole_minute + 60s) == fast_lane);
}

TEST_CASE("a send of exactly the limit is not slow, and minutes do not add up") {
  lanes windows{small()};
  for (int i = 0; i < 10; ++i)
    windows.took(slow, 500ms, whole_minute);
  CHECK(windows.lane_of(slow, whole_minute) == fast_lane);
  for (int minute = 0; minute < 5; ++minute)
    for (int i = 0; i < 2; ++i)
      windows.took(slow, 2s, whole_minute + std::chrono::minutes{minute});
  CHECK(windows.lane_of(slow, whole_minute + 4min) == fast_lane);
}
