// The windows of the trigger pool and who is slow.

#include "core/lanes.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

constexpr auto start = from_ms(1'772'452'800'000); // on a whole minute
constexpr job_id slow{7};
constexpr job_id other{8};

lane_limits small() { return {{3, 2}, 500ms, 2}; }

} // namespace

TEST_CASE("a lane gives all slots that were asked for, or none") {
  lanes windows{small()};
  CHECK(windows.take(fast_lane, 2));
  CHECK_FALSE(windows.take(fast_lane, 2));
  CHECK(windows.used(fast_lane) == 2);
  CHECK(windows.take(fast_lane, 1));
  CHECK_FALSE(windows.take(fast_lane, 1));
  CHECK(windows.take(fast_lane, 0));
}

TEST_CASE("the lanes do not take from each other") {
  lanes windows{small()};
  REQUIRE(windows.take(fast_lane, 3));
  CHECK(windows.take(slow_lane, 2));
  CHECK_FALSE(windows.take(slow_lane, 1));
  windows.give_back(fast_lane, 3);
  CHECK_FALSE(windows.take(slow_lane, 1));
}

TEST_CASE("more than a window goes through an empty lane only") {
  lanes windows{small()};
  REQUIRE(windows.take(fast_lane, 1));
  CHECK_FALSE(windows.take(fast_lane, 10));
  windows.give_back(fast_lane, 1);
  CHECK(windows.take(fast_lane, 10));
  CHECK_FALSE(windows.take(fast_lane, 1));
  windows.give_back(fast_lane, 10);
  CHECK(windows.used(fast_lane) == 0);
  CHECK(windows.take(fast_lane, 3));
}

TEST_CASE("giving back more than was taken does not wrap") {
  lanes windows{small()};
  REQUIRE(windows.take(fast_lane, 1));
  windows.give_back(fast_lane, 5);
  CHECK(windows.used(fast_lane) == 0);
  CHECK(windows.take(fast_lane, 3));
  CHECK_FALSE(windows.take(fast_lane, 1));
}

TEST_CASE("more slow sends than the limit in one minute make a job slow until the minute ends") {
  lanes windows{small()};
  for (int i = 0; i < 2; ++i)
    windows.took(slow, 501ms, start + 10s);
  CHECK(windows.lane_of(slow, start + 10s) == fast_lane);
  windows.took(slow, 501ms, start + 59s);
  CHECK(windows.lane_of(slow, start + 59s) == slow_lane);
  CHECK(windows.lane_of(other, start + 59s) == fast_lane);
  CHECK(windows.lane_of(slow, start + 60s) == fast_lane);
}

TEST_CASE("a send of exactly the limit is not slow, and minutes do not add up") {
  lanes windows{small()};
  for (int i = 0; i < 10; ++i)
    windows.took(slow, 500ms, start);
  CHECK(windows.lane_of(slow, start) == fast_lane);
  for (int minute = 0; minute < 5; ++minute)
    for (int i = 0; i < 2; ++i)
      windows.took(slow, 2s, start + std::chrono::minutes{minute});
  CHECK(windows.lane_of(slow, start + 4min) == fast_lane);
}
