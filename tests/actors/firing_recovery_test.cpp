// The whole firing path when nodes die, lose their lease, their store or an answer: every instant is accounted for, once.

#include "tests/actors/firing_path_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::firing_path;
using mood = test::firing_path::mood;
using test::store_fault;

TEST_CASE_METHOD(firing_path, "a node dies between claim and send: its successor asks and sends once", "[actors]") {
  declare_many(5);
  begin();
  advance(3900ms);
  REQUIRE(runs_sent() == 15);
  REQUIRE(rows().size() == 20);
  kill("a");
  advance(2s);
  asked.clear();
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
  CHECK(status().life->incarnation == 2);
  // The executor was asked about the five claimed runs before they were sent: first about the job's state, then about the run's
  // log.
  CHECK(std::count(asked.begin(), asked.end(), "/idleBeat") >= 5);
  CHECK(std::count(asked.begin(), asked.end(), "/log") == 5);
  auto idle = std::find(asked.begin(), asked.end(), "/idleBeat"), log = std::find(asked.begin(), asked.end(), "/log");
  CHECK(idle < log);
}

TEST_CASE_METHOD(firing_path, "a node dies before it gets an answer: executed runs are not sent again", "[actors]") {
  declare_many(5);
  begin();
  advance(2500ms);
  feels = mood::executes_pending;
  advance(700ms);
  REQUIRE(nodes["a"].client->pending() == 5);
  kill("a");
  feels = mood::works;
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a node dies before it can record: the executor's logs tell which runs arrived", "[actors]") {
  declare_many(5);
  begin();
  advance(2900ms);
  nodes["a"].fault = [](std::string_view method) { return method == "record" ? store_fault::away : store_fault::none; };
  advance(1s);
  kill("a");
  nodes["a"].fault = nullptr;
  auto sent = executions.size();
  CHECK(sent == 15);
  begin("a");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "lost requests are sent again, requests with lost answers are not", "[actors]") {
  declare_many(3);
  begin();
  advance(1500ms);
  feels = mood::loses;
  advance(1s);
  feels = mood::executes_silently;
  advance(1s);
  feels = mood::works;
  advance(10s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "crashes at random moments: every instant fires once, every claim is closed", "[actors]") {
  declare_many(6);
  auto seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
  CAPTURE(seed);
  std::uint32_t state = seed * 2654435761u;
  auto random = [&](std::uint32_t below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; };
  begin();
  for (int crash = 0; crash < 5; ++crash) {
    constexpr mood moods[] = {mood::works, mood::executes_silently, mood::loses, mood::executes_pending};
    advance(std::chrono::milliseconds{1500 + random(2500)});
    feels = moods[random(4)];
    advance(std::chrono::milliseconds{random(1300)});
    kill("a");
    feels = mood::works;
    advance(std::chrono::milliseconds{random(2000)});
    begin("a");
  }
  advance(30s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a short loss of the store closes the gate, begins a new incarnation and loses nothing",
                 "[actors]") {
  declare_many(5);
  begin();
  advance(5500ms);
  auto life = status().life;
  REQUIRE(life);
  nodes["a"].fault = [](std::string_view) { return store_fault::away; };
  advance(1500ms);
  auto sent = runs_sent();
  CHECK_FALSE(nodes["a"].gate->open_at(life->incarnation, boot_now()));
  CHECK_FALSE(status().ready);
  advance(1500ms);
  CHECK(runs_sent() == sent);
  nodes["a"].fault = nullptr;
  advance(10s);
  REQUIRE(status().life);
  CHECK(status().life->incarnation > life->incarnation);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "instants within a long loss of the store are left to the misfire policy", "[actors]") {
  declare("strict");
  declare("lenient", core::misfire_policy::fire_once_now);
  begin();
  advance(5500ms);
  nodes["a"].fault = [](std::string_view) { return store_fault::away; };
  advance(10s);
  auto back = civil();
  nodes["a"].fault = nullptr;
  advance(10s);
  stop_jobs_and_settle();
  check_nothing_twice();
  std::map<std::int32_t, int> lenient_in_the_gap;
  for (const auto& row : rows()) {
    CAPTURE(core::number(row.job), core::to_ms(row.trigger_time) - core::to_ms(start));
    for (const auto& done : executions[core::number(row.id)])
      if (done.job == 1)
        CHECK(done.at - row.trigger_time <= 5s);
    if (core::number(row.job) == 1 && row.trigger_code == 200)
      CHECK((row.trigger_time <= start + 6s || row.trigger_time > back - 5s));
    if (row.trigger_time > back + 1s)
      CHECK(row.handle_code == 200);
  }
  auto misfired = rows();
  CHECK(std::count_if(misfired.begin(), misfired.end(), [&](const auto& row) {
          return core::number(row.job) == 2 && row.trigger_time >= core::cut_to_second(back) && row.trigger_time < back + 2s;
        }) >= 2); // one for all missed instants, in addition to those on time
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a node takes over the jobs of a dead peer and loses none of its own instants", "[actors]") {
  declare_many(20);
  begin("a");
  begin("b");
  advance(5900ms);
  REQUIRE(runs_sent("a") > 0);
  REQUIRE(runs_sent("b") > 0);
  kill("b");
  advance(20s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "the runs of a claim that was kept although its answer was a refusal are sent once", "[actors]") {
  declare_many(5);
  begin();
  advance(2500ms);
  auto wrong = 0;
  nodes["a"].fault = [&wrong](std::string_view method) {
    return method == "claim" && wrong++ == 0 ? store_fault::answer_wrong : store_fault::none;
  };
  advance(10s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  CHECK(open_claims() == 0);
  CHECK(wrong > 1);
}
