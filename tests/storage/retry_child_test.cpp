// Retries and children: durable requests, written once with the result that decides them, claimed once (T2).

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

core::planned_run run_of(firing_fixture& f, const core::intent& intent) {
  auto run = f.run_of(f.job(core::number(intent.job)), intent.fire_at == core::time_point{} ? noon + 10s : intent.fire_at);
  run.kind = intent.kind;
  run.part = intent.part;
  run.param = intent.param;
  run.retry_left = intent.retry_left;
  run.intent = intent.id;
  return run;
}

} // namespace

TEST_CASE("a known failure with retries left starts one retry", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto job = f.add_job(7, noon, {{"executor_fail_retry_count", "3"}});
  auto batch = f.batch();
  f.plan(batch, job);
  batch.runs[0].part = {1, 3, true};
  batch.runs[0].param = "it's";
  auto run = require(f.firings().claim(batch, noon)).runs.at(0);
  bool by_trigger = GENERATE(true, false);
  auto outcome = by_trigger ? f.record({f.answer(run, 500, "refused")}, {}) : f.record({}, {f.callback(run, 502, "timeout")});
  REQUIRE(outcome.intents.size() == 1);
  const auto& intent = outcome.intents[0];
  CHECK(intent.kind == core::trigger_kind::retry);
  CHECK(intent.job == job->id);
  CHECK(intent.fire_at == noon);
  CHECK(intent.origin == run.id);
  CHECK(intent.part == core::shard{1, 3, true});
  CHECK(intent.param == "it's");
  CHECK(intent.retry_left == 2);
  auto row = f.row(run.id);
  CHECK(row.alarm_status == 1);
  CHECK(row.fail_retry_count == 3);
  auto waiting = require(f.firings().waiting_intents(noon + 10s, 10));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].id == intent.id);
  CHECK(waiting[0].kind == intent.kind);
  CHECK(waiting[0].part == intent.part);
  CHECK(waiting[0].param == intent.param);
  CHECK(waiting[0].fire_at == intent.fire_at);
  CHECK(waiting[0].origin == intent.origin);
  CHECK(waiting[0].retry_left == 2);
  CHECK(f.db->query("SELECT log_id, job, fire_ms FROM rm_failed_run") ==
        table{{text(run.id), "7", std::to_string(core::to_ms(noon))}});
}

TEST_CASE("a retry never waits for the second pass of a repeated hour", "[storage]") {
  auto berlin = require(core::zone::find("Europe/Berlin"));
  firing_fixture f{GENERATE(from_range(backends_under_test())), {berlin, berlin}};
  // 02:30 summer time on the day on which the clocks go back: the column cannot distinguish it from 02:30 winter time.
  auto first_pass = core::from_ms(1'729'989'000'000);
  auto batch = f.batch();
  f.plan(batch, f.add_job(7, first_pass, {{"executor_fail_retry_count", "1"}}), first_pass);
  auto run = require(f.firings().claim(batch, first_pass)).runs.at(0);
  CHECK(f.db->value("SELECT trigger_time FROM xxl_job_log") == "2024-10-27 02:30:00");
  auto results = f.results();
  results.triggers = {f.answer(run, 500)};
  auto intent = require(f.firings().record(results, first_pass + 1s)).intents.at(0);
  CHECK(intent.fire_at <= first_pass + 1s);
}

TEST_CASE("without retries left a failure is only recorded", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, GENERATE(0, -1));
  auto outcome = f.record({f.answer(run, 500)}, {});
  CHECK(outcome.intents.empty());
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("rm_failed_run") == "1");
  CHECK(f.row(run.id).alarm_status == 1);
}

TEST_CASE("another program's retry decision is kept", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 3);
  f.db->exec("UPDATE xxl_job_log SET alarm_status = -1");
  CHECK(f.record({f.answer(run, 500)}, {}).intents.empty());
  CHECK(f.row(run.id).alarm_status == -1);
}

TEST_CASE("a failing callback that arrives before the trigger result starts the retry", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 1);
  CHECK(f.record({}, {f.callback(run, 500)}).intents.size() == 1);
  CHECK(f.record({f.answer(run, 200)}, {}).intents.empty());
  CHECK(f.record({f.answer(run, 200)}, {f.callback(run, 500)}).intents.empty());
  CHECK(f.rows("rm_intent") == "1");
}

TEST_CASE("a success starts each child once", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50, noon, {{"executor_fail_retry_count", "4"}});
  f.add_job(51);
  auto run = f.claimed(7, 0, {{"child_jobid", "'51,50,7,abc,-3, ,999,'"}});
  auto callback = f.callback(run, 200);
  // With the job in memory and without.
  if (GENERATE(false, true))
    callback.spec.reset();
  auto outcome = f.record({}, {callback, callback});
  REQUIRE(outcome.intents.size() == 2);
  auto fifty = std::find_if(outcome.intents.begin(), outcome.intents.end(),
                            [](const auto& intent) { return intent.job == core::job_id{50}; });
  REQUIRE(fifty != outcome.intents.end());
  CHECK(fifty->kind == core::trigger_kind::parent);
  CHECK(fifty->origin == run.id);
  CHECK(fifty->retry_left == 4);
  CHECK_FALSE(fifty->param);
  CHECK(fifty->part == core::shard{});
  CHECK(f.rows("rm_intent", "job = 50 AND kind = 'child' AND fire_ms = 0 AND origin_log_id = " + text(run.id)) == "1");
  CHECK(f.rows("rm_intent", "job IN (7, 999)") == "0");
  // As in XXL: without the job itself, and without checking whether a child exists.
  const std::string told = f.row(run.id).handle_msg;
  CHECK(told.starts_with(callback.message + "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger child job<<<<<<<<<<<"
                                            " </span><br>1/6 [Job ID=51], Trigger success, Trigger msg: "));
  CHECK(told.find("3/6 [Job ID=abc], Trigger Fail, Trigger msg: Job ID is illegal <br>") != std::string::npos);
  CHECK(told.find("6/6 [Job ID=999], Trigger success") != std::string::npos);
  auto before = f.rows("rm_intent");
  CHECK(f.record({f.answer(run, 200)}, {callback}).intents.empty());
  CHECK(f.rows("rm_intent") == before);
  CHECK(f.row(run.id).handle_msg == told);
}

TEST_CASE("a result that is decided under locks also gets the text about children", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50);
  auto run = f.claimed(7, 0, {{"child_jobid", "'50'"}});
  // The trigger failed, but the executor has the run.
  f.record({f.answer(run, 500)}, {});
  auto outcome = f.record({}, {f.callback(run, 200)});
  CHECK(outcome.intents.size() == 1);
  CHECK(f.row(run.id).handle_msg.find("1/1 [Job ID=50], Trigger success") != std::string::npos);
}

TEST_CASE("children are started in the order of the list", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id : {50, 51, 52})
    f.add_job(id);
  auto run = f.claimed(7, 0, {{"child_jobid", "'52,50,51'"}});
  auto outcome = f.record({f.answer(run, 200)}, {f.callback(run, 200)});
  std::vector<std::int32_t> jobs;
  for (const auto& intent : outcome.intents)
    jobs.push_back(core::number(intent.job));
  CHECK(jobs == std::vector<std::int32_t>{52, 50, 51});
  auto waiting = require(f.firings().waiting_intents(noon + 10s, 10));
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[0].job == core::job_id{52});
}

TEST_CASE("a failed run starts no children", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50);
  auto run = f.claimed(7, 0, {{"child_jobid", "'50'"}});
  CHECK(f.record({f.answer(run, 200)}, {f.callback(run, 500)}).intents.empty());
}

TEST_CASE("a claim takes an intent once", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 2);
  auto intent = f.record({f.answer(run, 500)}, {}).intents.at(0);
  auto batch = f.batch();
  batch.runs = {run_of(f, intent)};
  auto outcome = require(f.firings().claim(batch, noon + 10s));
  REQUIRE(outcome.runs.size() == 1);
  CHECK(outcome.lost_intents.empty());
  CHECK(outcome.runs[0].plan.intent == intent.id);
  auto row = f.row(outcome.runs[0].id);
  CHECK(row.fail_retry_count == 1);
  CHECK(row.trigger_time == noon);
  CHECK(require(f.firings().waiting_intents(noon + 1h, 10)).empty());
  // The answer was lost: the same number returns it.
  CHECK(require(f.firings().claim(batch, noon + 11s)).runs.at(0).id == outcome.runs[0].id);
  // Another node is too late.
  auto other = f.db->open();
  auto late = batch;
  late.owner = require(other->cluster().enter("node-b", "b"));
  auto lost = require(other->firings().claim(late, noon + 12s));
  CHECK(lost.runs.empty());
  CHECK(lost.lost_intents == std::vector{intent.id});
  CHECK(f.rows("xxl_job_log") == "2");
  CHECK(f.rows("rm_claim") == "2");
}

TEST_CASE("moves and intents of one claim lose independently", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto first = f.claimed(1, 1);
  auto second = f.claimed(2, 1);
  auto intents = f.record({f.answer(first, 500), f.answer(second, 500)}, {}).intents;
  REQUIRE(intents.size() == 2);
  f.db->exec("UPDATE rm_intent SET state = 1 WHERE id = " + std::to_string(core::number(intents[0].id)));
  auto batch = f.batch();
  f.plan(batch, f.add_job(10));
  f.plan(batch, f.add_job(11));
  batch.runs.push_back(run_of(f, intents[0]));
  batch.runs.push_back(run_of(f, intents[1]));
  f.db->exec("UPDATE rm_schedule SET revision = 77 WHERE job = 10");
  auto outcome = require(f.firings().claim(batch, noon + 10s));
  CHECK(outcome.lost_races == std::vector{core::job_id{10}});
  CHECK(outcome.lost_intents == std::vector{intents[0].id});
  REQUIRE(outcome.runs.size() == 2);
  CHECK(outcome.runs[0].plan.spec->id == core::job_id{11});
  CHECK(outcome.runs[1].plan.intent == intents[1].id);
}

TEST_CASE("a child that is a broadcast runs as all of its shards", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(50);
  auto run = f.claimed(7, 0, {{"child_jobid", "'50'"}});
  auto intent = f.record({f.answer(run, 200)}, {f.callback(run, 200)}).intents.at(0);
  auto batch = f.batch();
  for (std::int32_t i = 0; i < 3; ++i) {
    batch.runs.push_back(run_of(f, intent));
    batch.runs.back().part = {i, 3, true};
  }
  auto outcome = require(f.firings().claim(batch, noon + 10s));
  CHECK(outcome.runs.size() == 3);
  CHECK(require(f.firings().claim(batch, noon + 10s)).runs.size() == 3);
  auto late = f.batch();
  late.runs = batch.runs;
  auto lost = require(f.firings().claim(late, noon + 10s));
  CHECK(lost.runs.empty());
  CHECK(lost.lost_intents == std::vector{intent.id});
}

TEST_CASE("an intent of a deleted job is deleted", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 2);
  auto intent = f.record({f.answer(run, 500)}, {}).intents.at(0);
  auto batch = f.batch();
  batch.runs = {run_of(f, intent)};
  f.db->exec("DELETE FROM xxl_job_info");
  auto outcome = require(f.firings().claim(batch, noon + 10s));
  CHECK(outcome.runs.empty());
  CHECK(outcome.lost_intents == std::vector{intent.id});
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("xxl_job_log") == "1");
  CHECK(f.rows("rm_claim", "seq = " + std::to_string(batch.sequence)) == "0");
}

TEST_CASE("waiting intents are returned oldest first and not before their time", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int i = 1; i <= 3; ++i) {
    auto run = f.claimed(i, 1);
    auto batch = f.results();
    batch.triggers = {f.answer(run, 500)};
    require(f.firings().record(batch, noon + std::chrono::seconds{10 - i}));
  }
  auto jobs = [](const std::vector<core::intent>& intents) {
    std::vector<std::int32_t> ids;
    for (const auto& intent : intents)
      ids.push_back(core::number(intent.job));
    return ids;
  };
  CHECK(jobs(require(f.firings().waiting_intents(noon + 1min, 10))) == std::vector<std::int32_t>{3, 2, 1});
  CHECK(jobs(require(f.firings().waiting_intents(noon + 1min, 2))) == std::vector<std::int32_t>{3, 2});
  CHECK(jobs(require(f.firings().waiting_intents(noon + 8s, 10))) == std::vector<std::int32_t>{3, 2});
  CHECK(require(f.firings().waiting_intents(noon + 6999ms, 10)).empty());
}

TEST_CASE("a whole chain of retries counts down and ends", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(7, 2);
  std::vector<std::int32_t> left;
  for (int round = 0; round < 5; ++round) {
    left.push_back(f.row(run.id).fail_retry_count);
    auto intents = f.record({f.answer(run, 200)}, {f.callback(run, 500)}).intents;
    if (intents.empty())
      break;
    auto batch = f.batch();
    batch.runs = {run_of(f, intents.at(0))};
    run = require(f.firings().claim(batch, noon + 10s)).runs.at(0);
  }
  CHECK(left == std::vector<std::int32_t>{2, 1, 0});
  CHECK(f.rows("xxl_job_log") == "3");
  CHECK(f.rows("rm_failed_run") == "3");
}
