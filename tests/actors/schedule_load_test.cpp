// schedule_actor: more jobs due in a second than fit any one round, and their order when there is no room for all.

#include <map>

#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

namespace {

constexpr int jobs_a_second = 6000;

struct crowded : planning {
  crowded() {
    declare_many(jobs_a_second);
    begin();
  }

  [[nodiscard]] std::map<std::int32_t, std::vector<core::time_point>> by_job() const {
    std::map<std::int32_t, std::vector<core::time_point>> all;
    for (const auto& run : runs)
      all[run.job].push_back(run.fire_at);
    return all;
  }

  /// Returns the number of runs of the jobs in (`from`, `to`].
  [[nodiscard]] std::size_t runs_of_jobs(std::int32_t from, std::int32_t to) const {
    return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return run.job > from && run.job <= to; }));
  }

  /// A job that was late by more than a second took two instants at once, so no job is ahead of another by more than these.
  void check_in_turn() const {
    auto fired = by_job();
    REQUIRE(fired.size() == jobs_a_second);
    std::size_t least = 1'000'000;
    std::size_t most = 0;
    for (const auto& [job, at] : fired) {
      least = std::min(least, at.size());
      most = std::max(most, at.size());
      CHECK(at == seconds_from(start + 1s, static_cast<int>(at.size())));
    }
    CHECK(most - least <= 2);
  }
};

} // namespace

TEST_CASE_METHOD(crowded, "six thousand jobs due in each second are all claimed in it, ahead of time", "[actors]") {
  advance(3s);
  auto fired = by_job();
  REQUIRE(fired.size() == jobs_a_second);
  for (const auto& [job, at] : fired)
    CHECK(at == seconds_from(start + 1s, 3));
  auto late = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.came > run.fire_at; });
  CHECK(late == 0);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(crowded, "with a store that is too slow for all, all jobs are equally late, whatever their ids", "[actors]") {
  hold_claims = true;
  for (int step = 0; step < 25; ++step) { // 5 000 of 6 000 a second
    advance(200ms);
    CHECK(held_claims.size() <= actors::schedule_actor_state::claims_in_flight_max);
    for (auto& request : std::exchange(held_claims, {}))
      answer(request);
    run();
  }
  CHECK(runs.size() >= 20'000);
  check_in_turn();
}

TEST_CASE_METHOD(crowded, "lanes that are too small for all omit no job, whatever their ids", "[actors]") {
  room = 0;
  for (int step = 0; step < 50; ++step) { // 4 500 of 6 000 a second
    room = 450;
    advance(100ms);
  }
  CHECK(runs.size() >= 18'000);
  CHECK(by_job().size() == jobs_a_second);
  CHECK(routes < 2'000); // nor is it asked without end
  const auto fifth = jobs_a_second / 5;
  for (std::int32_t from = 0; from < jobs_a_second; from += fifth) {
    CAPTURE(from);
    CHECK(runs_of_jobs(from, from + fifth) >= runs.size() / 5 * 9 / 10);
  }
}
