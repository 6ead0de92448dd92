// The whole firing path of one node without crashes: its requests, their times, and the final rows.

#include "core/run/trigger_note.hpp"
#include "tests/actors/firing_path_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::firing_path;
using mood = test::firing_path::mood;

TEST_CASE_METHOD(firing_path, "a declared job is claimed, sent at its instant and recorded with its result", "[actors]") {
  declare("settle");
  begin();
  CHECK(status().ready);
  advance(999ms);
  CHECK(runs_sent() == 0);
  REQUIRE(rows().size() == 1);
  CHECK(rows()[0].trigger_code == 0);
  CHECK(open_claims() == 1);
  advance(1ms);
  CHECK(runs_sent() == 1);
  advance(99ms);
  auto row = rows().at(0);
  CHECK(row.trigger_code == 200);
  CHECK(row.handle_code == 200);
  CHECK(row.handle_msg == "done");
  CHECK(row.trigger_time == start + 1s);
  CHECK(row.executor_address == "http://10.0.0.3:9999/");
  // Users see one name of the node everywhere.
  const auto note = core::decode_trigger_note(row.trigger_msg);
  REQUIRE(note);
  CHECK(note->node_host == "a");
  stop_jobs_and_settle();
  CHECK(open_claims() == 0);
  CHECK(nodes["a"].failed.empty());
}

TEST_CASE_METHOD(firing_path, "twenty jobs in a minute: every instant fires once, on its millisecond, and nothing is left open",
                 "[actors]") {
  declare_many(20);
  begin();
  advance(60s);
  auto until = civil();
  stop_jobs_and_settle();
  check_all_ran(start, until);
  for (const auto& row : rows())
    for (const auto& done : executions[core::number(row.id)])
      CHECK(done.at == row.trigger_time);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a refused run becomes a failed row and affects no other run", "[actors]") {
  declare("refused");
  begin();
  feels = mood::refuses;
  advance(3s);
  feels = mood::works;
  advance(3s);
  stop_jobs_and_settle();
  std::map<std::int32_t, int> codes;
  for (const auto& row : rows())
    ++codes[row.trigger_code];
  CHECK(codes[500] == 3);
  CHECK(codes[200] >= 3);
  CHECK(open_claims() == 0);
}

TEST_CASE_METHOD(firing_path, "a graceful stop waits for runs on their way and leaves nothing to recover", "[actors]") {
  declare_many(5);
  begin();
  advance(2900ms);
  auto stopped = later<caf::unit_t>(nodes["a"].actor, protocol::stop_request{});
  advance(3s);
  REQUIRE(*stopped);
  CHECK(open_claims() == 0);
  CHECK(runs_sent() == 15);
  for (const auto& row : rows())
    CHECK(row.trigger_code == 200);
  CHECK(nodes["a"].failed.empty());
}

TEST_CASE_METHOD(firing_path, "a failure is retried once for each retry left, a success starts its children once", "[actors]") {
  declare("parent").children = {{"", "child"}};
  declared.jobs[0].schedule_conf = "5 0 12 2 3 ?";
  declared.jobs[0].retry_count = 2;
  declare("child").schedule_conf = "0 0 0 1 1 ? 2099";
  callback_copies = 3; // executors repeat callbacks that may have been lost
  SECTION("the second retry succeeds") {
    std::set<std::int64_t> failing;
    result_of = [failing](std::int32_t job, std::int64_t id) mutable {
      if (job == 1 && failing.size() < 2)
        failing.insert(id);
      return failing.contains(id) ? 500 : 200;
    };
    begin();
    advance(20s);
    auto all = rows();
    REQUIRE(all.size() == 4);
    for (int attempt = 0; attempt < 3; ++attempt) {
      CHECK(core::number(all[static_cast<std::size_t>(attempt)].job) == 1);
      CHECK(all[static_cast<std::size_t>(attempt)].fail_retry_count == 2 - attempt);
      CHECK(all[static_cast<std::size_t>(attempt)].handle_code == (attempt < 2 ? 500 : 200));
    }
    CHECK(core::number(all[3].job) == 2);
    CHECK(all[3].handle_code == 200);
  }
  SECTION("no retry succeeds") {
    result_of = [](std::int32_t, std::int64_t) { return 500; };
    begin();
    advance(20s);
    auto all = rows();
    REQUIRE(all.size() == 3);
    for (const auto& row : all) {
      CHECK(core::number(row.job) == 1);
      CHECK(row.handle_code == 500);
    }
  }
  for (const auto& [id, done] : executions)
    CHECK(done.size() == 1);
  stop_jobs_and_settle();
  CHECK(open_claims() == 0);
}
