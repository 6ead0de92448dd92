// schedule_actor and the whole firing path: civil clocks that are set, and hours that a zone skips or repeats.

#include "tests/actors/firing_path_fixture.hpp"
#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::firing_path;
using test::planning;

namespace {

using times = std::vector<core::time_point>;

core::time_point utc(const std::string& text) { return core::zone{}.parse(text).value(); }

times at(std::initializer_list<const char*> texts) {
  times all;
  for (const auto* text : texts)
    all.push_back(utc(text));
  return all;
}

/// Berlin skips 02:00 to 03:00 on 29 March 2026 and has that hour twice on 25 October.
struct in_berlin : planning {
  core::declared_job& declare_in(const std::string& zone, const std::string& key, const std::string& cron) {
    auto& job = declare(key, cron);
    job.timing.time_zone = zone;
    return job;
  }
  void begin_at(const std::string& time) {
    step_civil(utc(time) - civil());
    begin();
  }
};

/// Jobs every second, with the clock set while a run of each is claimed and not sent yet.
struct clock_set : firing_path {
  clock_set() {
    declare("drops");
    declare("catches up", core::misfire_policy::fire_once_now);
    begin();
    advance(2900ms);
    REQUIRE(runs_sent() == 4);
    REQUIRE(open_claims() >= 1);
  }

  times rows_of(std::int32_t job) {
    times all;
    for (const auto& row : rows())
      if (core::number(row.job) == job)
        all.push_back(row.trigger_time);
    return all;
  }

  /// `missed`: claimed runs that were late by the clock when they were to leave.
  void check_at_rest(int missed = 0) {
    stop_jobs_and_settle();
    check_each_once(missed);
    CHECK(open_claims() == 0);
    CHECK(nodes["a"].failed.empty());
    auto all = rows();
    CHECK(std::count_if(all.begin(), all.end(), [](const auto& row) { return row.handle_code != 200; }) == missed);
    CHECK(std::count_if(all.begin(), all.end(), [](const auto& row) { return row.trigger_code == 500; }) == missed);
  }
  /// Replaces `check_nothing_twice`, which measures by the civil clock, and that was set.
  void check_each_once(int missed) {
    for (std::int32_t job : {1, 2}) {
      auto all = rows_of(job);
      CHECK(std::set(all.begin(), all.end()).size() == all.size());
    }
    CHECK(executions.size() + static_cast<std::size_t>(missed) == rows().size());
    for (const auto& [id, done] : executions)
      CHECK(done.size() == 1);
  }
};

} // namespace

TEST_CASE_METHOD(clock_set, "a clock that is set forward makes misfires of the skipped instants, by each job's policy",
                 "[actors]") {
  step_civil(1h);
  advance(100ms);
  CHECK(runs_sent() == 5); // claimed runs that may be late leave at their planned time
  advance(3s);
  auto dropping = rows_of(1);
  auto catching_up = rows_of(2);
  REQUIRE(dropping.size() == 3 + 3);
  CHECK(dropping[2] == start + 3s);
  CHECK(dropping[3] == start + 1h + 4s);
  REQUIRE(catching_up.size() == 3 + 1 + 3);
  CHECK(catching_up[3] <= start + 1h + 3s); // the second in which it was made up for
  CHECK(catching_up[4] == start + 1h + 4s);
  check_at_rest(1);
}

TEST_CASE_METHOD(clock_set, "a clock that is set back repeats no instant; jobs go on where they were", "[actors]") {
  step_civil(-20s);
  advance(100ms);
  CHECK(runs_sent() == 6);
  advance(19s);
  CHECK(rows().size() == 6);
  advance(3s);
  for (std::int32_t job : {1, 2})
    CHECK(rows_of(job) == test::seconds_from(start + 1s, 5));
  check_at_rest();
}

TEST_CASE_METHOD(clock_set, "a clock that is set back and forth loses no instant that it finally shows", "[actors]") {
  for (auto by : {-2s, 3s, -1s}) {
    step_civil(by);
    advance(1500ms);
  }
  advance(2s);
  for (std::int32_t job : {1, 2}) {
    auto all = rows_of(job);
    CHECK(all == test::seconds_from(start + 1s, static_cast<int>(all.size())));
    CHECK(all.back() >= civil() - 1s);
  }
  check_at_rest();
}

TEST_CASE_METHOD(in_berlin, "instants of the hour that a zone skips are omitted; those around it fire", "[actors]") {
  declare_in("Europe/Berlin", "half-hourly", "0 0/30 * * * ?");
  declare_in("Europe/Berlin", "at half past two", "0 30 2 * * ?");
  declare("of the server", "0 30 * * * ?"); // UTC, which skips nothing
  begin_at("2026-03-29 00:10:00");
  CHECK(stored(2).next == utc("2026-03-30 00:30:00"));
  advance(2h);
  CHECK(instants(1) == at({"2026-03-29 00:30:00", "2026-03-29 01:00:00", "2026-03-29 01:30:00", "2026-03-29 02:00:00"}));
  CHECK(instants(2).empty());
  CHECK(instants(3) == at({"2026-03-29 00:30:00", "2026-03-29 01:30:00"}));
}

TEST_CASE_METHOD(in_berlin, "instants of the hour that a zone repeats fire once, at its second pass", "[actors]") {
  declare_in("Europe/Berlin", "half-hourly", "0 0/30 * * * ?");
  declare_in("Europe/Berlin", "at half past two", "0 30 2 * * ?");
  declare("of the server", "0 30 * * * ?");
  begin_at("2026-10-24 23:20:00");
  advance(2h + 45min);
  CHECK(instants(1)
        == at({"2026-10-24 23:30:00", "2026-10-25 01:00:00", "2026-10-25 01:30:00", "2026-10-25 02:00:00"}));
  CHECK(instants(2) == at({"2026-10-25 01:30:00"}));
  CHECK(instants(3) == at({"2026-10-24 23:30:00", "2026-10-25 00:30:00", "2026-10-25 01:30:00"}));
  CHECK(stored(2).next == utc("2026-10-26 01:30:00"));
}

TEST_CASE_METHOD(planning, "jobs that a wrong clock moved ahead are counted, and fire again once they are repaired", "[actors]") {
  declare("ahead");
  step_civil(240h);
  apply();
  step_civil(-240h);
  begin();
  advance(3s);
  const auto* far_ahead = system().metrics().gauge_singleton("ringmaster", "jobs-far-ahead", "");
  CHECK(far_ahead->value() == 1);
  CHECK(runs.empty());
  test::expect(look->jobs().count_again(core::job_id{1}, civil()).map([](const auto&) {}));
  advance(3s);
  CHECK_FALSE(runs.empty());
  advance(2min);
  CHECK(far_ahead->value() == 0);
}
