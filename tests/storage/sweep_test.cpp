// Runs that nobody holds (invariant F4).

#include "core/trigger_note.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

TEST_CASE("an old run without a claim becomes a failure without retries", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 3);
  f.db->exec("DELETE FROM rm_claim");
  CHECK(require(f.firings().fail_abandoned(noon - 1s, 10)).failed == 0);
  CHECK(require(f.firings().fail_abandoned(noon, 10)).failed == 1);
  auto row = f.row(run.id);
  CHECK(row.trigger_code == 500);
  CHECK(row.fail_retry_count == 0);
  CHECK(row.alarm_status == 1);
  auto note = core::decode_trigger_note(row.trigger_msg);
  REQUIRE(note);
  CHECK_FALSE(note->message.empty());
  CHECK(f.db->query("SELECT log_id, job FROM rm_failed_run") == table{{text(run.id), "7"}});
  CHECK(require(f.firings().fail_abandoned(noon, 10)).failed == 0);
}

TEST_CASE("claimed, answered, finished and young runs are left alone", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto held = f.claimed(1);
  auto accepted = f.claimed(2);
  auto finished = f.claimed(3);
  auto early = f.claimed(4);
  auto lost = f.claimed(5);
  f.record({f.answer(accepted, 200), f.answer(finished, 200)}, {f.callback(finished, 200), f.callback(early, 200)});
  f.db->exec("DELETE FROM rm_claim WHERE seq <> " + std::to_string(held.claim));
  f.db->exec("UPDATE xxl_job_log SET trigger_time = '2024-03-01 12:00:01' WHERE id = " + text(lost.id));
  CHECK(require(f.firings().fail_abandoned(noon, 10)).failed == 0);
  CHECK(f.row(held.id).trigger_code == 0);
  CHECK(f.row(lost.id).trigger_code == 0);
  // The sweep has not forgotten the ones that it had to leave.
  CHECK(require(f.firings().fail_abandoned(noon + 1s, 10)).failed == 1);
  f.db->exec("DELETE FROM rm_claim");
  CHECK(require(f.firings().fail_abandoned(noon + 1s, 10)).failed == 1);
  CHECK(f.row(held.id).trigger_code == 500);
}

TEST_CASE("an adopted claim holds its runs", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  auto fresh = require(f.store->cluster().enter(f.me.node, "x"));
  // Orphaned: still held, adoption decides.
  CHECK(require(f.firings().fail_abandoned(noon, 10)).failed == 0);
  REQUIRE(require(f.firings().adopt(fresh, 1, 10)).size() == 1);
  CHECK(require(f.firings().fail_abandoned(noon, 10)).failed == 0);
  CHECK(f.row(run.id).trigger_code == 0);
}

TEST_CASE("the sweep takes at most its limit and goes on", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (int id = 1; id <= 25; ++id)
    f.plan(batch, f.add_job(id));
  require(f.firings().claim(batch, noon));
  f.db->exec("DELETE FROM rm_claim");
  std::vector<std::size_t> counts;
  for (int i = 0; i < 4; ++i)
    counts.push_back(require(f.firings().fail_abandoned(noon, 10)).failed);
  CHECK(counts == std::vector<std::size_t>{10, 10, 5, 0});
  CHECK(f.rows("xxl_job_log", "trigger_code = 500") == "25");
}

TEST_CASE("the sweep looks at a bounded stretch, says that there is more, and gets to the end", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 3; ++id)
    f.db->exec("UPDATE xxl_job_log SET id = " + std::to_string(id * 30'000) + " WHERE id = " + text(f.claimed(id).id));
  f.db->exec("DELETE FROM rm_claim");
  // The stretch up to the first one is passed; what is young is not, nor what a transaction that is still open may have left out.
  using swept = core::sweep_outcome;
  CHECK(require(f.firings().fail_abandoned(noon - 2min, 10)).failed == 0);
  CHECK(require(f.firings().fail_abandoned(noon - 1min, 10)).failed == 0);
  std::vector<swept> steps;
  for (int i = 0; i < 6; ++i)
    steps.push_back(require(f.firings().fail_abandoned(noon, 10)));
  CHECK(steps == std::vector<swept>{{1, true}, {1, true}, {0, true}, {1, false}, {0, false}, {0, false}});
}

TEST_CASE("a sweep with nothing to do does not wait for the one writer", "[storage]") {
  firing_fixture f{sqlite_backend()};
  auto run = f.claimed(1);
  f.record({f.answer(run, 200)}, {});
  f.db->exec("BEGIN IMMEDIATE");
  CHECK(require(f.firings().fail_abandoned(noon + 1h, 10)) == core::sweep_outcome{});
  f.db->exec("ROLLBACK");
}

TEST_CASE("taken intents are forgotten with the sweep", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1, 2);
  auto intent = f.record({f.answer(run, 500)}, {}).intents.at(0);
  auto other = f.claimed(2, 2);
  f.record({f.answer(other, 500)}, {});
  auto batch = f.batch();
  batch.runs = {f.run_of(run.plan.spec)};
  batch.runs[0].intent = intent.id;
  require(f.firings().claim(batch, noon + 10s));
  require(f.firings().fail_abandoned(noon - 1s, 10));
  CHECK(f.rows("rm_intent") == "2");
  require(f.firings().fail_abandoned(noon + 10s, 10));
  CHECK(f.db->query("SELECT job, state FROM rm_intent") == table{{"2", "0"}});
}
