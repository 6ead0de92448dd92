// Reads of jobs with their schedules.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

std::vector<std::int32_t> ids(const std::vector<core::scheduled_job>& jobs) {
  std::vector<std::int32_t> numbers;
  for (const auto& job : jobs)
    numbers.push_back(core::number(job.spec->id));
  return numbers;
}

const core::slot_set all_slots = core::slot_set{}.set();

} // namespace

TEST_CASE("a job is read with every column that planning and sending need", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, noon,
            {{"job_group", "3"},
             {"schedule_type", "'FIX_RATE'"},
             {"schedule_conf", "'30'"},
             {"misfire_strategy", "'FIRE_ONCE_NOW'"},
             {"executor_route_strategy", "'LEAST_RECENTLY_USED'"},
             {"executor_block_strategy", "'COVER_EARLY'"},
             {"executor_timeout", "12"},
             {"executor_fail_retry_count", "4"},
             {"executor_handler", "'h'"},
             {"executor_param", "'p'"},
             {"child_jobid", "'8,9'"},
             {"glue_type", "'GLUE_SHELL'"},
             {"glue_source", "'echo 你好'"},
             {"glue_updatetime", "'2024-03-01 12:00:05'"}});
  f.db->exec("INSERT INTO rm_job_ext (job, on_unknown) VALUES (7, 'resend')");
  f.db->exec("UPDATE rm_schedule SET last_ms = 1709265540000, revision = 12");
  auto jobs = require(f.firings().load_jobs(all_slots, core::job_id{0}, 10));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].next == noon);
  CHECK(jobs[0].last == noon - 60s);
  CHECK(jobs[0].revision == 12);
  const auto& job = *jobs[0].spec;
  CHECK(job.id == core::job_id{7});
  CHECK(job.group == core::group_id{3});
  CHECK(job.schedule == core::schedule_type::fixed_rate);
  CHECK(job.schedule_conf == "30");
  CHECK(job.misfire == core::misfire_policy::fire_once_now);
  CHECK(job.route == core::route_strategy::least_recently_used);
  CHECK(job.block == core::block_strategy::cover_early);
  CHECK(job.on_unknown == core::unknown_policy::resend);
  CHECK(job.timeout_s == 12);
  CHECK(job.retry_count == 4);
  CHECK(job.handler == "h");
  CHECK(job.param == "p");
  CHECK(job.child_jobs == "8,9");
  CHECK(job.glue_type == "GLUE_SHELL");
  CHECK(job.glue_updated == noon + 5s);
  // Pages leave sources out, and set a flag.
  CHECK_FALSE(job.glue_source);
  CHECK(job.source_left_out);
  const auto whole = require(f.firings().read_jobs(std::vector{core::job_id{7}})).at(0).spec;
  REQUIRE(whole->glue_source);
  CHECK(*whole->glue_source == "echo 你好");
  CHECK_FALSE(whole->source_left_out);
}

TEST_CASE("a sparse row of another writer is read with XXL's meanings", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, misfire_strategy, executor_route_strategy, "
             "executor_block_strategy, glue_type) "
             "VALUES (7, 1, 'x', 'SOMETHING', 'NEW', 'MY_ROUTE', NULL, 'BEAN')");
  auto jobs = require(f.firings().load_jobs(all_slots, core::job_id{0}, 10));
  REQUIRE(jobs.size() == 1);
  CHECK_FALSE(jobs[0].next);
  CHECK(jobs[0].last == core::time_point{});
  CHECK(jobs[0].revision == 0);
  const auto& job = *jobs[0].spec;
  CHECK(job.schedule == core::schedule_type::unknown);
  CHECK(job.misfire == core::misfire_policy::do_nothing);
  CHECK(job.route == core::route_strategy::unknown);
  CHECK(job.block == core::block_strategy::serial_execution);
  CHECK(job.on_unknown == core::unknown_policy::ask);
  CHECK_FALSE(job.source_left_out);
  CHECK_FALSE(job.glue_source);
  CHECK(job.glue_updated == core::time_point{});
  CHECK(job.param.empty());
}

TEST_CASE("jobs are loaded by slot, page by page", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id : {1, 2, 3, 255, 256, 257, 258, 512, 513})
    f.add_job(id, id % 2 == 0 ? noon : core::time_point{});
  core::slot_set slots;
  slots.set(0).set(1);
  CHECK(ids(require(f.firings().load_jobs(slots, core::job_id{0}, 100))) == std::vector<std::int32_t>{1, 256, 257, 512, 513});
  CHECK(ids(require(f.firings().load_jobs(slots, core::job_id{0}, 2))) == std::vector<std::int32_t>{1, 256});
  CHECK(ids(require(f.firings().load_jobs(slots, core::job_id{256}, 2))) == std::vector<std::int32_t>{257, 512});
  CHECK(ids(require(f.firings().load_jobs(slots, core::job_id{512}, 2))) == std::vector<std::int32_t>{513});
  CHECK(require(f.firings().load_jobs(slots, core::job_id{513}, 2)).empty());
  CHECK(require(f.firings().load_jobs(core::slot_set{}, core::job_id{0}, 2)).empty());
  CHECK(require(f.firings().load_jobs(all_slots, core::job_id{0}, 100)).size() == 9);
}

TEST_CASE("edits are returned in the order of their revisions", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 5; ++id)
    f.add_job(id);
  f.db->exec("UPDATE rm_schedule SET revision = 10 - job WHERE job > 2");
  CHECK(ids(require(f.firings().edits_since(0, 10))) == std::vector<std::int32_t>{5, 4, 3});
  CHECK(ids(require(f.firings().edits_since(5, 10))) == std::vector<std::int32_t>{4, 3});
  CHECK(ids(require(f.firings().edits_since(0, 2))) == std::vector<std::int32_t>{5, 4});
  CHECK(require(f.firings().edits_since(7, 10)).empty());
  CHECK(require(f.firings().last_revision()) == 0);
  f.db->exec("UPDATE rm_edit SET counter = 7");
  CHECK(require(f.firings().last_revision()) == 7);
}

TEST_CASE("the jobs of one large edit are returned in pages", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 6; ++id)
    f.add_job(id);
  f.db->exec("UPDATE rm_schedule SET revision = CASE WHEN job = 6 THEN 4 ELSE 3 END");
  CHECK(ids(require(f.firings().edits_since(0, 2))) == std::vector<std::int32_t>{1, 2});
  CHECK(ids(require(f.firings().edits_since(3, 2, core::job_id{2}))) == std::vector<std::int32_t>{3, 4});
  CHECK(ids(require(f.firings().edits_since(3, 2, core::job_id{4}))) == std::vector<std::int32_t>{5, 6});
  CHECK(require(f.firings().edits_since(4, 2, core::job_id{6})).empty());
  CHECK(ids(require(f.firings().edits_since(3, 10))) == std::vector<std::int32_t>{6});
}

TEST_CASE("a claim is not an edit", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  f.claimed(7);
  CHECK(require(f.firings().edits_since(0, 10)).empty());
}

TEST_CASE("named jobs are returned in id order, without deleted ones", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id : {3, 5, 9})
    f.add_job(id);
  std::vector<core::job_id> wanted{core::job_id{9}, core::job_id{4}, core::job_id{3}, core::job_id{9}};
  CHECK(ids(require(f.firings().read_jobs(wanted))) == std::vector<std::int32_t>{3, 9});
  CHECK(require(f.firings().read_jobs({})).empty());
  std::vector<core::job_id> many;
  for (int id = 1; id <= 1500; ++id)
    many.push_back(core::job_id{id});
  CHECK(ids(require(f.firings().read_jobs(many))) == std::vector<std::int32_t>{3, 5, 9});
}
