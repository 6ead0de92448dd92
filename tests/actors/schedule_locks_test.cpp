// schedule_actor: jobs whose rows another transaction holds.

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

namespace {

/// Returns how late the newest run of a job reached the ring.
core::milliseconds lateness(const planning& of, std::int32_t job) {
  core::milliseconds late{-1'000'000};
  for (const auto& run : of.runs)
    if (run.job == job)
      late = run.came - run.fire_at;
  return late;
}

std::int64_t times_locked(planning& of) {
  return of.system().metrics().counter_singleton("ringmaster", "claims-locked", "", "1", true)->value();
}

} // namespace

TEST_CASE("waits grow separately for each key, up to a limit", "[actors]") {
  core::growing_waits waits{20ms, 100ms};
  CHECK(waits.next(1) == 20ms);
  CHECK(waits.next(1) == 40ms);
  CHECK(waits.next(2) == 20ms);
  CHECK(waits.next(1) == 80ms);
  CHECK(waits.next(1) == 100ms);
  CHECK(waits.next(1) == 100ms);
  CHECK(waits.size() == 2);
  waits.done(1);
  CHECK(waits.next(1) == 20ms);
  waits.clear();
  CHECK(waits.size() == 0);
}

TEST_CASE_METHOD(planning, "only jobs that another transaction holds are late, and they are retried at growing intervals",
                 "[actors]") {
  constexpr int count = 40;
  declare_many(count);
  begin();
  advance(2s);
  for (std::int32_t job = 1; job <= 20; ++job)
    locked.insert(job);
  claims = 0;
  slots -= static_cast<std::int64_t>(runs.size());
  runs.clear();
  advance(30s);
  for (std::int32_t job = 1; job <= count; ++job) {
    const auto fired = instants(job).size();
    CAPTURE(job, fired);
    CHECK((locked.contains(job) ? fired == 0 : fired >= 29));
  }
  for (std::int32_t job = 21; job <= count; ++job)
    CHECK(lateness(*this, job) < 0ms);
  // One claim a second for the others; the locked ones return at growing intervals, then about once a second.
  CHECK(claims < 160);
  CHECK(times_locked(*this) >= 20 * 20);
  CHECK(times_locked(*this) <= 20 * 50);
  locked.clear();
  advance(3s);
  for (std::int32_t job = 1; job <= count; ++job) {
    CHECK_FALSE(instants(job).empty());
    CHECK(lateness(*this, job) < 0ms);
  }
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "a short lock delays no firing", "[actors]") {
  declare_many(3);
  begin();
  advance(1s);
  runs.clear();
  locked = {2};
  for (int i = 0; i < 200 && times_locked(*this) < 2; ++i)
    advance(10ms);
  REQUIRE(times_locked(*this) >= 2);
  locked.clear();
  advance(1s);
  REQUIRE_FALSE(instants(2).empty());
  CHECK(lateness(*this, 2) < 0ms);
}

TEST_CASE_METHOD(planning, "if a server cannot name the held row, smaller claims find it", "[actors]") {
  declare_many(16);
  begin();
  advance(1s);
  locked = {7};
  locks_are_blind = true;
  runs.clear();
  advance(3s);
  CHECK(instants(7).empty());
  for (std::int32_t job = 1; job <= 16; ++job)
    if (job != 7)
      CHECK(instants(job).size() >= 2);
  locked.clear();
  advance(2s);
  CHECK_FALSE(instants(7).empty());
}
