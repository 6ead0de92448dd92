// Runs without a claim (invariant F4).

#include <set>

#include "core/run/trigger_note.hpp"
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

TEST_CASE("claimed, answered, finished and young runs stay unchanged", "[storage]") {
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
  // The sweep has not forgotten the runs that it had to leave.
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

TEST_CASE("the sweep takes at most its limit and continues", "[storage]") {
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

TEST_CASE("the sweep reads a bounded stretch, reports that there is more, and reaches the end", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 3; ++id)
    f.db->exec("UPDATE xxl_job_log SET id = " + std::to_string(id * 30'000) + " WHERE id = " + text(f.claimed(id).id));
  f.db->exec("DELETE FROM rm_claim");
  // The stretch up to the first one is passed; young rows are not, nor rows that an open transaction may still insert.
  using swept = core::sweep_outcome;
  CHECK(require(f.firings().fail_abandoned(noon - 2min, 10)).failed == 0);
  CHECK(require(f.firings().fail_abandoned(noon - 1min, 10)).failed == 0);
  std::vector<swept> steps;
  for (int i = 0; i < 6; ++i)
    steps.push_back(require(f.firings().fail_abandoned(noon, 10)));
  CHECK(steps == std::vector<swept>{{1, true}, {1, true}, {1, false}, {0, false}, {0, false}, {0, false}});
}

TEST_CASE("a sweep with nothing to do does not wait for the one writer", "[storage]") {
  firing_fixture f{sqlite_backend()};
  auto run = f.claimed(1);
  f.record({f.answer(run, 200)}, {});
  f.db->exec("BEGIN IMMEDIATE");
  CHECK(require(f.firings().fail_abandoned(noon + 1h, 10)) == core::sweep_outcome{});
  f.db->exec("ROLLBACK");
}

TEST_CASE("the first sweep begins some days back, and skips gaps in the ids at once", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto number_as = [&](core::log_id run, const std::string& id) {
    f.db->exec("UPDATE xxl_job_log SET id = " + id + " WHERE id = " + text(run));
  };
  const auto ancient = f.claimed(1);
  const auto old = f.claimed(2);
  const auto fresh = f.claimed(3);
  f.db->exec("UPDATE xxl_job_log SET trigger_time = '2024-02-20 12:00:00' WHERE id = " + text(ancient.id));
  number_as(old.id, "1000000");
  number_as(fresh.id, "9000000000");
  f.db->exec("DELETE FROM rm_claim");
  std::size_t failed = 0;
  // Two calls to see that all is committed; then one per row.
  for (int i = 0; i < 4; ++i)
    failed += require(f.firings().fail_abandoned(noon + i * 1min, 10)).failed;
  CHECK(failed == 2);
  CHECK(f.row(ancient.id).trigger_code == 0);
  CHECK(f.row(core::log_id{9'000'000'000}).trigger_code == 500);
}

TEST_CASE("taken intents are forgotten, the oldest first, a bounded number per step", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1, 2);
  auto intent = f.record({f.answer(run, 500)}, {}).intents.at(0);
  auto other = f.claimed(2, 2);
  f.record({f.answer(other, 500)}, {});
  auto batch = f.batch();
  batch.runs = {f.run_of(run.plan.spec)};
  batch.runs[0].intent = intent.id;
  require(f.firings().claim(batch, noon + 10s));
  auto& maintenance = f.store->maintenance();
  CHECK(require(maintenance.forget_taken_intents(noon - 1s, 10)) == 0);
  CHECK(f.rows("rm_intent") == "2");
  CHECK(require(maintenance.forget_taken_intents(noon + 10s, 10)) == 1);
  CHECK(f.db->query("SELECT job, state FROM rm_intent") == table{{"2", "0"}});
  for (int i = 0; i < 25; ++i)
    f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms)"
               " VALUES ('child', 3, 0, " + std::to_string(100 + i) + ", 0, 0, 0, 1, " + std::to_string(1000 + i) + ")");
  std::vector<std::size_t> steps;
  for (int i = 0; i < 4; ++i)
    steps.push_back(require(maintenance.forget_taken_intents(noon, 10)));
  CHECK(steps == std::vector<std::size_t>{10, 10, 5, 0});
  CHECK(f.rows("rm_intent") == "1");
}

TEST_CASE("every waiting intent is found after a backlog, page by page", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  constexpr int blocked = 2500;
  std::string values;
  for (int i = 0; i < blocked; ++i)
    values += (i == 0 ? "('child', 1, 0, " : ", ('child', 1, 0, ") + std::to_string(1 + i) + ", 0, 0, 0, " +
              std::to_string(1'000 + i / 1'000) + ")"; // many of one millisecond
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms) VALUES "
             + values);
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms)"
             " VALUES ('child', 2, 0, 7, 0, 0, 0, 9000), ('cron', 3, 9001, 0, 0, 0, 0, 9001),"
             " ('child', 2, 0, 8, 0, 0, 0, 20000)");
  core::intent_search search{.created_before = core::from_ms(10'000), .limit = 1000};
  std::vector<core::intent> all;
  for (;;) {
    const auto page = require(f.firings().waiting_intents(search));
    if (page.empty())
      break;
    CHECK(page.size() <= 1000);
    search.after = core::place_of(page.back());
    all.insert(all.end(), page.begin(), page.end());
  }
  REQUIRE(all.size() == blocked + 2);
  CHECK(all[blocked].job == core::job_id{2});
  std::set<core::intent_id> once;
  for (const auto& one : all)
    once.insert(one.id);
  CHECK(once.size() == all.size());
  const auto instants = require(f.firings().waiting_intents({.created_before = core::from_ms(10'000), .reserved_only = true}));
  REQUIRE(instants.size() == 1);
  CHECK(instants[0].job == core::job_id{3});
}

TEST_CASE("a page of waiting intents is bounded in bytes", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  const std::string large(60'000, 'x');
  for (int i = 0; i < 150; ++i)
    f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, created_ms)"
               " VALUES ('api', 1, 0, " + std::to_string(-1 - i) + ", 0, 0, '" + large + "', 0, 1000)");
  core::intent_search search{.created_before = noon};
  std::size_t pages = 0;
  std::size_t found = 0;
  for (auto page = require(f.firings().waiting_intents(search)); !page.empty();
       page = require(f.firings().waiting_intents(search))) {
    ++pages;
    found += page.size();
    CHECK(page.size() <= storage::intents_page_bytes / large.size());
    search.after = core::place_of(page.back());
  }
  CHECK(found == 150);
  CHECK(pages == 3);
}
