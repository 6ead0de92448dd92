// DATETIME columns are in the database's zone, regardless of the zones of schedules; seconds are cut.

#include "tests/storage/deploy_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

storage::store_options zones(const char* database, const char* schedule) {
  return {require(core::zone::find(database)), require(core::zone::find(schedule))};
}

} // namespace

TEST_CASE("columns are in the database's zone and schedules in theirs", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test())), zones("America/New_York", "Asia/Shanghai")};
  // 23:59:59.999 in New York, noon in Shanghai: nothing becomes the next day.
  const auto at = noon + 59min + 59s + 999ms;
  CHECK(f.apply(pay_set(), false, at) == "+++");
  CHECK(f.of_job("update_time", "settle") == "2024-02-29 23:59:59");
  CHECK(f.next_of("settle") == ms(one_at_night));
  auto batch = f.batch();
  f.plan(batch, f.add_job(70, at), at);
  const auto run = require(f.firings().claim(batch, at)).runs.at(0);
  CHECK(f.db->value("SELECT trigger_time FROM xxl_job_log") == "2024-02-29 23:59:59");
  CHECK(f.row(run.id).trigger_time == core::cut_to_second(at));
  auto results = f.results();
  results.callbacks.push_back(f.callback(run, 200));
  require(f.firings().record(results, at + 500ms));
  CHECK(f.db->value("SELECT handle_time FROM xxl_job_log") == "2024-03-01 00:00:00");
  core::registry_batch beat;
  beat.renewed = {{"EXECUTOR", "pay", "http://a/", at}};
  require(f.store->registry().write(beat, at));
  CHECK(f.db->value("SELECT update_time FROM xxl_job_registry") == "2024-02-29 23:59:59");
  CHECK(require(f.store->registry().read()).registrations.at(0).seen == core::cut_to_second(at));
}

TEST_CASE("a clock change of the database's zone moves no schedule", "[storage]") {
  deploy_fixture f{GENERATE(from_range(backends_under_test())), zones("Europe/Berlin", "Asia/Shanghai")};
  // 2024-03-31 01:00:00 UTC: Berlin's clocks go from 02:00 to 03:00.
  const auto change = core::from_ms(1'711'846'800'000);
  for (const auto& [at, text] : {std::pair{change - 1ms, "2024-03-31 01:59:59"}, std::pair{change, "2024-03-31 03:00:00"}}) {
    auto batch = f.batch();
    const auto id = static_cast<std::int32_t>(batch.sequence);
    f.plan(batch, f.add_job(id, at), at);
    const auto run = require(f.firings().claim(batch, at)).runs.at(0);
    CHECK(f.db->value("SELECT trigger_time FROM xxl_job_log WHERE job_id = " + std::to_string(id)) == text);
    CHECK(f.row(run.id).trigger_time == core::cut_to_second(at));
  }
  auto set = pay_set();
  set.jobs.resize(1);
  set.jobs[0].schedule_conf = "0 30 9 * * ?"; // 02:30 in Berlin, which does not exist in this night
  CHECK(f.apply(set, false, change - 1h) == "++");
  CHECK(f.next_of("settle") == ms(change + 30min));
}

TEST_CASE("the repeated hour is read as an existing moment, and a retry does not wait for it", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test())), zones("Europe/Berlin", "UTC")};
  // 2024-10-27 00:30 UTC, 02:30 in Berlin for the first time.
  const auto first = core::from_ms(1'729'989'000'000);
  auto batch = f.batch();
  f.plan(batch, f.add_job(1, first, {{"executor_fail_retry_count", "2"}}), first);
  const auto run = require(f.firings().claim(batch, first)).runs.at(0);
  CHECK(f.db->value("SELECT trigger_time FROM xxl_job_log") == "2024-10-27 02:30:00");
  auto results = f.results();
  results.triggers.push_back(f.answer(run, 500, "no"));
  const auto recorded = require(f.firings().record(results, first + 5s));
  REQUIRE(recorded.intents.size() == 1);
  CHECK(recorded.intents[0].fire_at <= first + 5s);
}
