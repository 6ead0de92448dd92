// T1: moves of schedules and their runs.

#include "core/run/trigger_note.hpp"
#include "storage/rows/claim_items.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

std::vector<std::int32_t> jobs_of(const core::claim_outcome& outcome) {
  std::vector<std::int32_t> jobs;
  for (const auto& run : outcome.runs)
    jobs.push_back(core::number(run.plan.spec->id));
  return jobs;
}

} // namespace

TEST_CASE("a claim moves the schedule and inserts the run", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7, noon, {{"executor_fail_retry_count", "3"}, {"job_group", "4"}});
  auto batch = f.batch();
  f.plan(batch, job);
  auto outcome = require(f.firings().claim(batch, noon - 200ms));
  REQUIRE(outcome.runs.size() == 1);
  CHECK(outcome.sequence == batch.sequence);
  CHECK(outcome.runs[0].claim == batch.sequence);
  CHECK(outcome.runs[0].attempt == 0);
  CHECK(outcome.runs[0].plan.spec == job);
  CHECK(outcome.lost_races.empty());
  CHECK(f.db->query("SELECT next_ms, last_ms FROM rm_schedule") ==
        table{{std::to_string(core::to_ms(noon + 60s)), std::to_string(core::to_ms(noon))}});

  auto row = f.row(outcome.runs[0].id);
  CHECK(row.job == job->id);
  CHECK(row.group == core::group_id{4});
  CHECK(row.executor_address == "http://10.0.0.9:9999/");
  CHECK(row.executor_handler == "demoJobHandler");
  CHECK(row.executor_param == "x=1");
  CHECK(row.fail_retry_count == 3);
  CHECK(row.trigger_time == noon);
  CHECK(row.trigger_code == 0);
  CHECK(row.handle_code == 0);
  CHECK(row.alarm_status == 0);
  CHECK(f.db->query("SELECT executor_sharding_param, trigger_time, handle_time, handle_msg FROM xxl_job_log") ==
        table{{"NULL", "2024-03-01 12:00:00", "2024-03-01 12:00:00", ""}});
  auto note = core::decode_trigger_note(row.trigger_msg);
  REQUIRE(note);
  CHECK(*note == core::note_of(batch.runs[0], "10.0.0.1"));
  CHECK(f.rows("rm_claim", "node = 'node-a' AND maybe_sent = 0") == "1");
  CHECK(require(f.firings().open_claims(f.me)) == std::vector<std::int64_t>{batch.sequence});
}

TEST_CASE("the trigger time of a run is its instant cut to the second", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7, noon + 999ms);
  auto batch = f.batch();
  f.plan(batch, job, noon + 999ms);
  auto outcome = require(f.firings().claim(batch, noon));
  REQUIRE(outcome.runs.size() == 1);
  CHECK(f.db->value("SELECT trigger_time FROM xxl_job_log") == "2024-03-01 12:00:00");
}

TEST_CASE("one of two planners wins a job", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto other = f.db->open();
  auto first = f.batch();
  f.plan(first, job);
  auto second = first;
  second.owner = require(other->cluster().enter("node-b", "10.0.0.2:8081"));
  auto won = require(f.firings().claim(first, noon));
  auto lost = require(other->firings().claim(second, noon));
  CHECK(won.runs.size() == 1);
  CHECK(lost.runs.empty());
  CHECK(lost.lost_races == std::vector{job->id});
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.rows("rm_claim") == "1");
}

TEST_CASE("a lost move drops its runs and keeps the others", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 5; ++id)
    f.plan(batch, f.add_job(id));
  batch.runs.push_back(f.run_of(batch.runs[1].spec, noon + 30s));
  batch.runs.push_back(f.run_of(batch.runs[2].spec, noon + 30s));
  f.db->exec("UPDATE rm_schedule SET next_ms = next_ms + 1 WHERE job = 2");
  f.db->exec("UPDATE rm_schedule SET revision = 9 WHERE job = 4");
  batch.seen_revision = 8;
  auto outcome = require(f.firings().claim(batch, noon));
  CHECK(jobs_of(outcome) == std::vector<std::int32_t>{1, 3, 5, 3});
  CHECK(outcome.lost_races == std::vector{core::job_id{2}, core::job_id{4}});
  CHECK(f.rows("xxl_job_log") == "4");
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 2") == std::to_string(core::to_ms(noon) + 1));
  CHECK(f.db->value("SELECT last_ms FROM rm_schedule WHERE job = 4") == "0");
}

TEST_CASE("an edit that the planner has seen does not prevent its claim", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  f.db->exec("UPDATE rm_schedule SET revision = 9");
  auto batch = f.batch();
  f.plan(batch, job);
  batch.seen_revision = 9;
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == 1);
}

TEST_CASE("a claim that loses every part writes nothing", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7, noon + 1s);
  auto batch = f.batch();
  f.plan(batch, job);
  auto outcome = require(f.firings().claim(batch, noon));
  CHECK(outcome.runs.empty());
  CHECK(outcome.lost_races == std::vector{job->id});
  CHECK(f.rows("rm_claim") == "0");
  CHECK(f.rows("xxl_job_log") == "0");
}

TEST_CASE("a stopped job cannot be claimed, regardless of the expected next time", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7, core::time_point{});
  auto batch = f.batch();
  f.plan(batch, job, core::time_point{});
  CHECK(require(f.firings().claim(batch, noon)).lost_races == std::vector{job->id});
  CHECK(f.rows("xxl_job_log") == "0");
}

TEST_CASE("a move of a deleted job is lost", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  f.db->exec("DELETE FROM rm_schedule");
  f.db->exec("DELETE FROM xxl_job_info");
  auto batch = f.batch();
  f.plan(batch, job);
  CHECK(require(f.firings().claim(batch, noon)).lost_races == std::vector{job->id});
  CHECK(require(f.firings().read_jobs(std::vector{job->id})).empty());
}

TEST_CASE("a claim without a next time stops the job", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  f.plan(batch, f.add_job(8));
  batch.moves[0].next.reset();
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == 2);
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 7") == "0");
  CHECK(f.db->query("SELECT id, trigger_status FROM xxl_job_info ORDER BY id") == table{{"7", "0"}, {"8", "1"}});
  auto jobs = require(f.firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 10));
  REQUIRE(jobs.size() == 2);
  CHECK_FALSE(jobs[0].next);
  CHECK(jobs[0].last == noon);
}

TEST_CASE("a move without runs skips missed instants", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto batch = f.batch();
  batch.moves.push_back({job->id, noon, noon, noon + 3600s});
  auto outcome = require(f.firings().claim(batch, noon + 3599s));
  CHECK(outcome.runs.empty());
  CHECK(outcome.lost_races.empty());
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule") == std::to_string(core::to_ms(noon + 3600s)));
  CHECK(require(f.firings().open_claims(f.me)).empty());
}

TEST_CASE("repeating a committed claim returns its runs and changes nothing", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 4; ++id)
    f.plan(batch, f.add_job(id));
  // Two runs of one job at one instant: only their position in the batch distinguishes them.
  batch.runs.push_back(f.run_of(batch.runs[2].spec));
  batch.runs.back().param = "second";
  f.db->exec("UPDATE rm_schedule SET next_ms = 5 WHERE job = 2");
  auto outcome = require(f.firings().claim(batch, noon));
  REQUIRE(outcome.runs.size() == 4);
  auto other = f.db->open();
  CHECK_FALSE(outcome.repeated);
  CHECK(outcome.lost_races == std::vector<core::job_id>{core::job_id{2}});
  auto again = require(other->firings().claim(batch, noon + 1s));
  CHECK(again.repeated);
  CHECK(again.lost_races.empty());
  REQUIRE(again.runs.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(again.runs[i].id == outcome.runs[i].id);
    CHECK(again.runs[i].claim == outcome.runs[i].claim);
    CHECK(again.runs[i].plan.spec == outcome.runs[i].plan.spec);
    CHECK(again.runs[i].plan.param == outcome.runs[i].plan.param);
  }
  CHECK(f.rows("xxl_job_log") == "4");
  CHECK(f.rows("rm_claim") == "1");
}

TEST_CASE("a repeated claim leaves out runs that are resolved or deleted", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 3; ++id)
    f.plan(batch, f.add_job(id));
  auto outcome = require(f.firings().claim(batch, noon));
  REQUIRE(outcome.runs.size() == 3);
  f.record({f.answer(outcome.runs[0], 200)}, {});
  f.db->exec("DELETE FROM xxl_job_log WHERE id = " + text(outcome.runs[1].id));
  auto again = require(f.firings().claim(batch, noon));
  CHECK(again.repeated);
  CHECK(jobs_of(again) == std::vector<std::int32_t>{3});
  f.record({f.answer(outcome.runs[2], 200)}, {});
  again = require(f.firings().claim(batch, noon));
  CHECK(again.repeated);
  CHECK(again.runs.empty());
  // It would block a drain.
  CHECK(require(f.firings().open_claims(f.me)).empty());
  again = require(f.firings().claim(batch, noon));
  CHECK_FALSE(again.repeated);
  CHECK(again.runs.empty());
  CHECK(again.lost_races.size() == 3);
}

TEST_CASE("a node whose incarnation has ended claims nothing", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto batch = f.batch();
  f.plan(batch, job);
  auto other = f.db->open();
  SECTION("fenced") {
    auto nodes = require(other->cluster().nodes());
    REQUIRE(nodes.size() == 1);
    CHECK(require(other->cluster().fence(nodes[0])));
  }
  SECTION("entered again") { require(other->cluster().enter("node-a", "x")); }
  SECTION("left") { require(other->cluster().leave(f.me)); }
  SECTION("never entered") { batch.owner.node = "node-z"; }
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::fenced);
  CHECK(f.rows("xxl_job_log") == "0");
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule") == std::to_string(core::to_ms(noon)));
}

TEST_CASE("a fenced node does not get its committed claim again", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  require(f.firings().claim(batch, noon));
  require(f.store->cluster().enter("node-a", "x"));
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::fenced);
}

TEST_CASE("broadcast shards of one instant get a row each", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto batch = f.batch();
  batch.moves.push_back({job->id, noon, noon, noon + 60s});
  for (std::int32_t i = 0; i < 3; ++i) {
    auto run = f.run_of(job);
    run.part = {i, 3, true};
    run.address = "http://10.0.0." + std::to_string(i) + ":9999/";
    batch.runs.push_back(run);
  }
  auto outcome = require(f.firings().claim(batch, noon));
  CHECK(outcome.runs.size() == 3);
  CHECK(f.db->query("SELECT executor_sharding_param, executor_address FROM xxl_job_log ORDER BY id") ==
        table{{"0/3", "http://10.0.0.0:9999/"}, {"1/3", "http://10.0.0.1:9999/"}, {"2/3", "http://10.0.0.2:9999/"}});
}

TEST_CASE("a run without an executor is claimed", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  batch.runs[0].address.clear();
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == 1);
  CHECK(f.db->value("SELECT executor_address FROM xxl_job_log") == "NULL");
}

TEST_CASE("an overriding parameter is stored in the row", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  batch.runs[0].param = "";
  require(f.firings().claim(batch, noon));
  CHECK(f.db->value("SELECT executor_param FROM xxl_job_log") == "");
}

TEST_CASE("an invalid batch is refused", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto batch = f.batch();
  f.plan(batch, job);
  SECTION("two moves of a job") { batch.moves.push_back(batch.moves[0]); }
  SECTION("a run without a move or an intent") { batch.moves.clear(); }
  SECTION("a run without a job") { batch.runs[0].spec.reset(); }
  CHECK(error_of(f.firings().claim(batch, noon)) == core::errc::invalid_argument);
  CHECK(f.rows("xxl_job_log") == "0");
}

TEST_CASE("claims of every size keep all of their runs, in order", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  int id = 0;
  for (int size : {1, 2, 7, 8, 9, 63, 64, 65, 200, 500, 513, 700}) {
    auto batch = f.batch();
    // Different instants, so that next times form groups of all sizes.
    for (int i = 0; i < size; ++i)
      f.plan(batch, f.add_job(++id, noon + std::chrono::seconds{i % 17}), noon + std::chrono::seconds{i % 17});
    auto outcome = require(f.firings().claim(batch, noon));
    REQUIRE(outcome.runs.size() == static_cast<std::size_t>(size));
    std::vector<core::log_id> ids;
    for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
      REQUIRE(outcome.runs[i].plan.spec == batch.runs[i].spec);
      ids.push_back(outcome.runs[i].id);
    }
    auto rows = require(f.store->logs().rows(ids));
    REQUIRE(rows.size() == ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      auto run =
        std::find_if(outcome.runs.begin(), outcome.runs.end(), [&](const auto& claimed) { return claimed.id == rows[i].id; });
      REQUIRE(run != outcome.runs.end());
      REQUIRE(rows[i].job == run->plan.spec->id);
      REQUIRE(rows[i].trigger_time == core::cut_to_second(run->plan.fire_at));
    }
    auto again = require(f.firings().claim(batch, noon));
    REQUIRE(again.runs.size() == outcome.runs.size());
  }
  CHECK(f.rows("rm_schedule", "last_ms = 0") == "0");
}

TEST_CASE("two instants of one job in one claim are two runs and one move", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7);
  auto batch = f.batch();
  batch.moves.push_back({job->id, noon, noon + 100ms, noon + 200ms});
  batch.runs = {f.run_of(job, noon), f.run_of(job, noon + 100ms)};
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == 2);
  CHECK(f.db->query("SELECT next_ms, last_ms FROM rm_schedule") ==
        table{{std::to_string(core::to_ms(noon + 200ms)), std::to_string(core::to_ms(noon + 100ms))}});
}
