// schedule_actor: the claims and their times.

#include "actors/metrics.hpp"
#include "tests/actors/schedule_actor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::planning;
using test::seconds_from;

TEST_CASE_METHOD(planning, "each instant is claimed shortly before it and reaches the ring once", "[actors]") {
  declare("every-second");
  begin();
  advance(5s);
  CHECK(instants(1) == seconds_from(start + 1s, 5));
  for (const auto& run : runs) {
    CHECK(run.came <= run.fire_at);
    CHECK(run.fire_at - run.came <= 200ms);
  }
  CHECK(rows().size() == 5);
  CHECK(slots == 5); // held by the runs themselves
  CHECK(stored(1).next == start + 6s);
}

TEST_CASE_METHOD(planning, "nothing is claimed earlier than the window allows, however often the planner is woken", "[actors]") {
  declare("patient", "10 * * * * ?");
  begin();
  for (int i = 0; i < 97; ++i) {
    advance(100ms);
    tell(actor, protocol::tick_atom{});
    tell(actor, protocol::edit_hint{});
  }
  CHECK(claims == 0);
  advance(300ms);
  CHECK(instants(1) == std::vector{start + 10s});
}

TEST_CASE_METHOD(planning, "jobs of one instant are claimed in one batch", "[actors]") {
  declare_many(30);
  begin();
  advance(1s);
  CHECK(runs.size() == 30);
  CHECK(claims == 1);
}

TEST_CASE_METHOD(planning, "instants at different milliseconds are claimed some dozens at a time", "[actors]") {
  declare_many(500);
  for (std::size_t i = 0; i < declared.jobs.size(); ++i) {
    auto& job = declared.jobs[i];
    job.schedule = core::schedule_type::fixed_rate;
    job.schedule_conf = core::rate_text_of(1000);
    job.timing.interval_ms = 1000;
    job.timing.start_at = start - 10s + core::milliseconds{2 * i};
  }
  begin();
  advance(1s);
  claims = 0;
  runs.clear();
  advance(4s);
  CHECK(runs.size() == 4 * 500);
  CHECK(claims <= 4 * 25); // one in 50 ms, with 20 instants in each
  for (const auto& run : runs) {
    CHECK(run.fire_at - run.came <= 200ms);
    CHECK(run.fire_at - run.came >= 90ms);
  }
}

TEST_CASE_METHOD(planning, "more jobs than a batch holds are claimed in several, each job once", "[actors]") {
  rows_max = 7;
  declare_many(30);
  begin();
  advance(2s);
  for (std::int32_t job = 1; job <= 30; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 2));
  CHECK(claims >= 2 * 30 / 7);
}

TEST_CASE_METHOD(planning, "at most two claims are under way; waiting runs follow after them", "[actors]") {
  rows_max = 7;
  declare_many(30);
  begin();
  hold_claims = true;
  advance(3s);
  CHECK(held_claims.size() == actors::schedule_actor_state::claims_in_flight_max);
  release_claims();
  advance(1s);
  for (std::int32_t job = 1; job <= 30; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 4));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "jobs that wait for probes delay no others, however many there are", "[actors]") {
  rows_max = 10;
  declare_many(60);
  for (std::int32_t job = 1; job <= 50; ++job)
    probed.insert(job);
  begin();
  advance(6s);
  CHECK(probing.size() == 50);
  for (std::int32_t job = 51; job <= 60; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 6));
  CHECK(slots_add_up());
  probed.clear();
  end_probes();
  advance(1s);
  for (std::int32_t job = 1; job <= 60; ++job) {
    CAPTURE(job);
    CHECK(instants(job).size() == 7); // those that waited caught up
  }
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "jobs of an executor that hangs stay due, are requested rarely and delay no others", "[actors]") {
  rows_max = 10;
  declare_many(60);
  for (std::int32_t job = 1; job <= 50; ++job)
    silent.insert(job);
  begin();
  advance(3s);
  for (std::int32_t job = 51; job <= 60; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 3));
  CHECK(times_held >= 50 * 5);
  CHECK(times_held <= 50 * 15);
  silent.clear();
  advance(1s);
  for (std::int32_t job = 1; job <= 60; ++job)
    CHECK(instants(job) == seconds_from(start + 1s, 4));
}

TEST_CASE_METHOD(planning, "a job whose instant another node took is read again", "[actors]") {
  declare("raced");
  declare("quiet");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  claim_elsewhere(1, start + 5s); // a peer is faster by a hair
  release_claims();
  advance(4800ms);
  CHECK(instants(1) == std::vector{start + 5s});
  CHECK(instants(2) == seconds_from(start + 1s, 5));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "a lost job that cannot be read again is requested until it can", "[actors]") {
  declare("raced");
  begin();
  hold_claims = true;
  advance(900ms);
  claim_elsewhere(1, start + 3s);
  store.fault_of = [](std::string_view method) {
    return method == "read_jobs" ? test::store_fault::away : test::store_fault::none;
  };
  release_claims();
  advance(1500ms);
  CHECK(runs.empty());
  store.come_back();
  advance(1500ms);
  CHECK(instants(1) == seconds_from(start + 3s, 2));
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "a refused claim gives its slots back, and what is still due is claimed again", "[actors]") {
  declare("refused");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  CHECK(slots == 1);
  answer(held_claims[0], core::fail(core::errc::internal, "a statement was refused"));
  held_claims.clear();
  run();
  CHECK(slots == 0);
  advance(59s);
  CHECK(held_claims.empty()); // not at once: the same claim would be refused again
  advance(2s);
  CHECK(held_claims.size() == 1);
  release_claims();
  advance(1s);
  REQUIRE_FALSE(instants(1).empty());
  CHECK(instants(1).back() > start + 60s);
  CHECK(slots_add_up());
}

TEST_CASE_METHOD(planning, "a job that the store refuses delays no other", "[actors]") {
  declare_many(50);
  poison = {1, 17, 50};
  begin();
  advance(10s);
  for (int job = 1; job <= 50; ++job) {
    CAPTURE(job);
    CHECK(instants(job) == (poison.contains(job) ? seconds_from(start, 0) : seconds_from(start + 1s, 10)));
  }
  CHECK(slots_add_up());
  poison.clear();
  advance(60s);
  for (int job : {1, 17, 50}) {
    CAPTURE(job);
    REQUIRE_FALSE(instants(job).empty());
    CHECK(instants(job).back() >= start + 69s);
  }
  CHECK(instants(2) == seconds_from(start + 1s, 70));
}

TEST_CASE_METHOD(planning, "the answer to a claim counts once", "[actors]") {
  declare("repeated");
  begin();
  hold_claims = true;
  advance(900ms);
  REQUIRE(held_claims.size() == 1);
  auto request = held_claims[0];
  release_claims();
  run();
  answer(request); // the store gives the same outcome again
  advance(100ms);
  CHECK(instants(1) == seconds_from(start + 1s, 1));
  CHECK(slots == 1);
}

TEST_CASE_METHOD(planning, "a full pool defers a job, and it is claimed when there is room", "[actors]") {
  declare("patient");
  begin();
  full = true;
  advance(3s);
  CHECK(runs.empty());
  CHECK(claims == 0);
  CHECK(routes <= 150); // it waits a little before it asks again
  CHECK(stored(1).next == start + 1s); // still due, for any node
  full = false;
  advance(500ms);
  CHECK(instants(1) == seconds_from(start + 1s, 3));
  CHECK(stored(1).next == start + 4s);
}

TEST_CASE_METHOD(planning, "missed instants: DO_NOTHING moves the schedule without a run, FIRE_ONCE_NOW runs once", "[actors]") {
  declare("strict");
  declare("lenient").misfire = core::misfire_policy::fire_once_now;
  const auto* merged = actors::make_merged_counter(system());
  const auto before = merged->value();
  apply();
  advance(20s);
  begin();
  advance(100ms);
  REQUIRE(runs.size() == 1);
  CHECK(merged->value() == before + 19); // of the instants from 1 s to 20 s after the start
  CHECK(runs[0].job == 2);
  CHECK(runs[0].fire_at <= civil());
  CHECK(civil() - runs[0].fire_at <= 100ms);
  CHECK(stored(1).next == start + 21s);
  advance(2s);
  CHECK(instants(1) == seconds_from(start + 21s, 2));
  CHECK(instants(2).size() == 3);
  CHECK(slots_add_up());
}

namespace {

/// A claim that drops 1200 instants of each job is on its way.
struct dropping : planning {
  explicit dropping(int jobs = 1) {
    declare_many(jobs);
    apply();
    advance(1200s);
    hold_claims = true;
    begin();
    advance(100ms);
    REQUIRE(held_claims.size() == 1);
  }
  /// Returns the number of instants counted since.
  [[nodiscard]] std::int64_t dropped() { return counter->value() - before; }

  caf::telemetry::int_counter* counter =
    actors::make_counter(system(), "firings-dropped-by-misfire", "Instants dropped by the misfire policy DO_NOTHING.");
  std::int64_t before = counter->value();
};

/// The claim of three jobs outlives its incarnation.
struct outliving : dropping {
  outliving() : dropping{3} {
    REQUIRE(held_claims[0].batch.moves.size() == 3);
    lose_incarnation();
    run();
    CHECK(slots == 0);
  }
};

} // namespace

TEST_CASE_METHOD(dropping, "dropped instants are counted without a limit, and once when the claim is lost", "[actors]") {
  auto lost = held_claims[0];
  held_claims.clear();
  core::claim_outcome outcome;
  outcome.sequence = lost.batch.sequence;
  outcome.lost_races = {core::job_id{1}};
  answer(lost, std::move(outcome));
  hold_claims = false;
  advance(500ms);
  CHECK(dropped() == 1200);
  CHECK(stored(1).next > start + 1200s);
}

TEST_CASE_METHOD(dropping, "dropped instants of a claim are counted when its answer arrives after its incarnation", "[actors]") {
  lose_incarnation();
  run();
  core::claim_outcome outcome;
  outcome.sequence = held_claims[0].batch.sequence;
  answer(held_claims[0], core::claim_outcome{outcome});
  run();
  CHECK(dropped() == 1200);
  answer(held_claims[0], std::move(outcome)); // an answer counts once
  run();
  CHECK(dropped() == 1200);
}

TEST_CASE_METHOD(outliving, "a claim of an earlier incarnation counts only what its moves dropped", "[actors]") {
  core::claim_outcome outcome;
  outcome.sequence = held_claims[0].batch.sequence;
  std::int64_t counted = 3 * 1200;
  SECTION("all moves were made") {}
  SECTION("an edit or another node was first") {
    outcome.lost_races = {core::job_id{1}, core::job_id{3}};
    counted = 1200;
  }
  SECTION("another transaction holds the rows") {
    outcome.locked_jobs = {core::job_id{2}};
    counted = 2 * 1200;
  }
  SECTION("some of both") {
    outcome.lost_races = {core::job_id{1}};
    outcome.locked_jobs = {core::job_id{2}};
    counted = 1200;
  }
  SECTION("nothing was moved: another transaction holds one of the rows") {
    outcome.locked_as_one = true;
    outcome.locked_jobs = {core::job_id{1}, core::job_id{2}, core::job_id{3}};
    counted = 0;
  }
  SECTION("repeated: only the answer that was lost names the moves that were not made") { outcome.repeated = true; }
  answer(held_claims[0], std::move(outcome));
  run();
  CHECK(dropped() == counted);
  CHECK(runs.empty());
  CHECK(slots == 0);
}

TEST_CASE_METHOD(outliving, "a claim that the end of its incarnation refused counts nothing", "[actors]") {
  new_incarnation();
  answer(held_claims[0]); // fenced
  run();
  CHECK(dropped() == 0);
  CHECK(rows().empty());
}

TEST_CASE_METHOD(outliving, "the next incarnation claims what a claim of the earlier one did not move", "[actors]") {
  (void) claim_elsewhere(1, start + 1h);
  locked = {2};
  release_claims(); // before the store knows of the end
  run();
  CHECK(dropped() == 1200);
  CHECK(runs.empty());
  locked.clear();
  new_incarnation();
  advance(500ms);
  CHECK(dropped() == 2 * 1200);
  CHECK(stored(1).next == start + 1h);
  CHECK(stored(2).next > start + 1200s);
  CHECK(stored(3).next > start + 1200s);
}

TEST_CASE_METHOD(planning, "instants that are at most five seconds late are made up one by one", "[actors]") {
  declare("late");
  apply();
  latency = 0ms;
  SECTION("on the limit") {
    advance(6s);
    begin();
    advance(100ms);
    CHECK(instants(1) == seconds_from(start + 1s, 6));
  }
  SECTION("a moment later") {
    advance(6001ms);
    begin();
    advance(100ms);
    CHECK(runs.empty());
    CHECK(stored(1).next == start + 7s);
  }
}

TEST_CASE_METHOD(planning, "a job that cannot be planned stops only itself", "[actors]") {
  declare("sound");
  declare("odd");
  store.alter_jobs = [](std::vector<core::scheduled_job>& jobs) {
    auto odd = std::make_shared<core::job>(*jobs.at(1).spec);
    odd->schedule_conf = "at noon";
    jobs[1].spec = std::move(odd);
  };
  begin();
  advance(3s);
  CHECK(instants(1).size() == 3);
  CHECK(instants(2).empty());
}

TEST_CASE_METHOD(planning, "a schedule without further instants is claimed to its end and then left alone", "[actors]") {
  declare("last", "1,3 0 12 2 3 ? 2026");
  begin();
  advance(10s);
  CHECK(instants(1) == std::vector{start + 1s, start + 3s});
  CHECK(claims == 2);
  CHECK_FALSE(stored(1).next);
}
