// Rows that another transaction holds: claims, results and heartbeats of other rows do not wait.

#include <chrono>

#include "storage/mysql/driver/connection.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// Four due jobs, and the test's own connection in a transaction that holds rows until they are released.
struct held_fixture : firing_fixture {
  held_fixture() : firing_fixture{mysql_backend()} {
    for (const auto id : {1, 2, 3, 4})
      specs.push_back(add_job(id));
  }
  ~held_fixture() { let_go(); }

  void hold(const std::string& table, const std::string& where) {
    db->exec("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"); // otherwise it also holds rows that it only passes
    db->exec("START TRANSACTION");
    (void) db->query("SELECT 1 FROM " + table + " FORCE INDEX (PRIMARY) WHERE " + where + " FOR UPDATE");
  }
  void let_go() { db->exec("COMMIT"); }

  core::claim_batch due() {
    auto all = batch();
    for (const auto& spec : specs)
      plan(all, spec);
    return all;
  }

  std::vector<core::job_ptr> specs;
};

std::vector<std::int32_t> jobs_of(const core::claim_outcome& outcome) {
  std::vector<std::int32_t> out;
  for (const auto& run : outcome.runs)
    out.push_back(core::number(run.plan.spec->id));
  return out;
}

/// Checks that the call takes far less than the second for which the server waits for a lock.
template <class Call>
auto at_once(Call call) {
  const auto begun = std::chrono::steady_clock::now();
  auto out = call();
  CHECK(std::chrono::steady_clock::now() - begun < 800ms);
  return out;
}

} // namespace

TEST_CASE("a server's abilities with locks are derived from its version", "[storage]") {
  using storage::mysql::skills_of;
  CHECK(skills_of("10.11.6-MariaDB-0+deb12u1").skip);
  CHECK(skills_of("10.11.6-MariaDB-0+deb12u1").wait_zero);
  CHECK_FALSE(skills_of("10.5.9-MariaDB").skip);
  CHECK(skills_of("10.5.9-MariaDB").wait_zero);
  CHECK_FALSE(skills_of("10.2.44-MariaDB").wait_zero);
  CHECK(skills_of("11.4.2-MariaDB").skip);
  CHECK(skills_of("8.0.36").skip);
  CHECK(skills_of("8.0.36").for_share);
  CHECK_FALSE(skills_of("8.0.36").wait_zero);
  CHECK(skills_of("9.1.0").skip);
  CHECK_FALSE(skills_of("5.7.44-log").skip);
  CHECK_FALSE(skills_of("").skip);
  CHECK_FALSE(skills_of("nonsense").skip);
}

TEST_CASE("a claim leaves out schedules that another transaction holds, and takes the others at once", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  f.hold("rm_schedule", "job IN (2, 3)");
  const auto outcome = require(at_once([&] { return f.firings().claim(f.due(), noon); }));
  CHECK(jobs_of(outcome) == std::vector{1, 4});
  CHECK(outcome.locked_jobs == std::vector{core::job_id{2}, core::job_id{3}});
  CHECK(outcome.lost_races.empty());
  CHECK_FALSE(outcome.locked_as_one);
  CHECK(f.rows("xxl_job_log") == "2");
  f.let_go();
  auto again = f.batch();
  firing_fixture::plan(again, f.specs[1]);
  firing_fixture::plan(again, f.specs[2]);
  const auto later = require(f.firings().claim(again, noon));
  CHECK(jobs_of(later) == std::vector{2, 3});
  CHECK(later.locked_jobs.empty());
}

TEST_CASE("a claim with only locked parts keeps nothing and has no row", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  f.hold("rm_schedule", "job > 0");
  const auto outcome = require(at_once([&] { return f.firings().claim(f.due(), noon); }));
  CHECK(outcome.runs.empty());
  CHECK(outcome.locked_jobs.size() == 4);
  CHECK(f.rows("rm_claim") == "0");
}

TEST_CASE("a job that is locked and was moved meanwhile is lost, not locked", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  f.db->exec("UPDATE rm_schedule SET next_ms = 5 WHERE job = 3");
  f.hold("rm_schedule", "job IN (2, 3)");
  const auto outcome = require(f.firings().claim(f.due(), noon));
  CHECK(jobs_of(outcome) == std::vector{1, 4});
  CHECK(outcome.locked_jobs == std::vector{core::job_id{2}});
  CHECK(outcome.lost_races == std::vector{core::job_id{3}});
}

TEST_CASE("a schedule that ends while its job is locked stays due", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  f.hold("xxl_job_info", "id = 2");
  auto all = f.due();
  for (auto& move : all.moves)
    move.next.reset();
  const auto outcome = require(at_once([&] { return f.firings().claim(all, noon); }));
  CHECK(jobs_of(outcome) == std::vector{1, 3, 4});
  CHECK(outcome.locked_jobs == std::vector{core::job_id{2}});
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 2") == std::to_string(core::to_ms(noon)));
  CHECK(f.db->value("SELECT trigger_status FROM xxl_job_info WHERE id = 2") == "1");
}

TEST_CASE("intents that are locked, or whose jobs are locked, wait; the others are claimed at once", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  std::vector<core::trigger_result> failures;
  std::vector<core::claimed_run> failed;
  for (const auto id : {11, 12, 13})
    failed.push_back(f.claimed(id, 2));
  for (const auto& run : failed)
    failures.push_back(firing_fixture::answer(run, 500));
  const auto intents = f.record(failures, {}).intents;
  REQUIRE(intents.size() == 3);
  const bool by_job = GENERATE(true, false);
  f.hold(by_job ? "xxl_job_info" : "rm_intent",
         by_job ? "id = 12" : "id = " + std::to_string(core::number(intents[1].id)));
  auto all = f.batch();
  for (const auto& intent : intents) {
    auto run = firing_fixture::run_of(f.job(core::number(intent.job)), intent.fire_at);
    run.kind = core::trigger_kind::retry;
    run.retry_left = intent.retry_left;
    run.intent = intent.id;
    all.runs.push_back(run);
  }
  const auto outcome = require(at_once([&] { return f.firings().claim(all, noon); }));
  CHECK(jobs_of(outcome) == std::vector{11, 13});
  CHECK(outcome.locked_intents == std::vector{intents[1].id});
  CHECK(outcome.lost_intents.empty());
  CHECK(outcome.stale_intents.empty());
  CHECK(f.rows("rm_intent", "state = 0") == "1");
  f.let_go();
  auto again = f.batch();
  again.runs = {all.runs[1]};
  CHECK(jobs_of(require(f.firings().claim(again, noon))) == std::vector{12});
}

TEST_CASE("results of runs whose rows are locked are left out, the others stored at once", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  const auto runs = require(f.firings().claim(f.due(), noon)).runs;
  REQUIRE(runs.size() == 4);
  f.hold("xxl_job_log", "id = " + text(runs[1].id));
  auto all = f.results();
  const bool fails = GENERATE(false, true);
  for (const auto& run : runs) {
    all.triggers.push_back(firing_fixture::answer(run, fails ? 500 : 200));
    if (!fails)
      all.callbacks.push_back(firing_fixture::callback(run, 200));
  }
  const auto outcome = require(at_once([&] { return f.firings().record(all, noon + 1s); }));
  CHECK(outcome.locked_runs == std::vector{runs[1].id});
  CHECK(outcome.triggers_stored == 3);
  CHECK(f.rows("xxl_job_log", "trigger_code = 0") == "1");
  f.let_go();
  all.triggers = {all.triggers[1]};
  all.callbacks.clear();
  const auto later = require(f.firings().record(all, noon + 1s));
  CHECK(later.triggers_stored == 1);
  CHECK(later.locked_runs.empty());
}

TEST_CASE("a heartbeat does not wait for the lock of claims on the incarnation", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  // As a claim of this node that waits for a row.
  f.hold("rm_life", "node = 'node-a'");
  for (std::int64_t beat = 1; beat < 4; ++beat)
    require(at_once([&] { return f.store->cluster().beat(f.me, beat); }));
  CHECK(require(f.store->cluster().nodes())[0].beat == 3);
}

TEST_CASE("a fence does not wait for a claim, and the node's heartbeat does not wait for such a fence", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  require(f.store->cluster().beat(f.me, 1));
  const auto seen = require(f.store->cluster().nodes())[0];
  const auto observer = f.db->open();
  f.hold("rm_life", "node = 'node-a'");
  CHECK(error_of(at_once([&] { return observer->cluster().fence(seen); })) == core::errc::unavailable);
  require(f.store->cluster().beat(f.me, 2));
  f.let_go();
  CHECK_FALSE(require(observer->cluster().fence(seen)));
  CHECK(require(observer->cluster().fence(require(observer->cluster().nodes())[0])));
  CHECK(error_of(f.store->cluster().beat(f.me, 3)) == core::errc::fenced);
  CHECK(error_of(f.firings().claim(f.due(), noon)) == core::errc::fenced);
}

TEST_CASE("a job that is locked drops no instants, neither in a claim nor in its repetition", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  const auto drop = [](core::claim_batch& batch, const core::job_ptr& spec) {
    const core::missed_instants gap{3, noon, noon + 2min};
    batch.moves.push_back({spec->id, noon, gap.last, noon + 3min, core::missed_gap{spec, gap, "3 instants were missed"}});
  };
  auto all = f.batch();
  firing_fixture::plan(all, f.specs[0]);
  drop(all, f.specs[1]);
  drop(all, f.specs[2]);
  firing_fixture::plan(all, f.specs[3]);
  f.hold("rm_schedule", "job = 2");
  const auto outcome = require(at_once([&] { return f.firings().claim(all, noon + 150s); }));
  CHECK(jobs_of(outcome) == std::vector{1, 4});
  CHECK(outcome.locked_jobs == std::vector{core::job_id{2}});
  REQUIRE(outcome.missed.size() == 1);
  CHECK(outcome.missed[0].job == core::job_id{3});
  const auto again = require(at_once([&] { return f.firings().claim(all, noon + 150s); }));
  CHECK(again.repeated);
  CHECK(jobs_of(again) == std::vector{1, 4});
  CHECK(again.missed.empty());
  CHECK(f.rows("xxl_job_log") == "3");
  f.let_go();
  auto rest = f.batch();
  drop(rest, f.specs[1]);
  const auto later = require(f.firings().claim(rest, noon + 150s));
  REQUIRE(later.missed.size() == 1);
  CHECK(later.missed[0].job == core::job_id{2});
}

TEST_CASE("a claim that left out a locked job is adopted at once, and the adopter claims the job", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  f.hold("rm_schedule", "job = 2");
  const auto kept = require(f.firings().claim(f.due(), noon));
  REQUIRE(jobs_of(kept) == std::vector{1, 3, 4});
  const auto other = require(f.store->cluster().enter("node-b", "10.0.0.2:8081"));
  require(f.store->cluster().leave(f.me));
  const auto adopted = require(at_once([&] { return f.firings().adopt(other, 40, 10); }));
  REQUIRE(adopted.size() == 3);
  for (std::size_t i = 0; i < adopted.size(); ++i)
    CHECK(adopted[i].id == kept.runs[i].id);
  CHECK(error_of(f.firings().claim(f.due(), noon)) == core::errc::fenced);
  f.let_go();
  auto rest = f.batch();
  rest.owner = other;
  firing_fixture::plan(rest, f.specs[1]);
  CHECK(jobs_of(require(f.firings().claim(rest, noon))) == std::vector{2});
}

TEST_CASE("an adoption does not wait for rows of the log that another transaction holds", "[storage]") {
  if (no_server_here())
    return;
  held_fixture f;
  const auto kept = require(f.firings().claim(f.due(), noon));
  const auto other = require(f.store->cluster().enter("node-b", "10.0.0.2:8081"));
  require(f.store->cluster().leave(f.me));
  f.hold("xxl_job_log", "id > 0");
  CHECK(require(at_once([&] { return f.firings().adopt(other, 40, 10); })).size() == kept.runs.size());
}
