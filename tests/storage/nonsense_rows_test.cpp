// Rows of other writers with NULL or invalid values in every column: read without affecting other rows.

#include "core/schedule/schedule.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

TEST_CASE("invalid values in a row affect no other row", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  firing_fixture f{backend};
  f.add_job(1);
  using values = std::vector<std::pair<std::string, std::string>>;
  const std::vector<values> rows{
    {{"schedule_conf", "NULL"}},
    {{"schedule_type", "'FIX_DELAY'"}},
    {{"executor_route_strategy", "'NEAREST'"}, {"executor_block_strategy", "'LATER'"}, {"misfire_strategy", "'PRAY'"}},
    {{"glue_updatetime", "NULL"}, {"executor_handler", "NULL"}, {"executor_param", "NULL"}, {"executor_route_strategy", "NULL"}},
    {{"job_group", "-7"}, {"executor_timeout", "-2147483648"}, {"executor_fail_retry_count", "2147483647"}},
    {{"trigger_status", "7"}},
    {{"child_jobid", "',,-5,0, 3 ,99999999999999999999,x,1'"}},
    {{"trigger_next_time", "9223372036854775807"}, {"trigger_last_time", "-9223372036854775807"}},
  };
  for (std::size_t i = 0; i < rows.size(); ++i)
    f.add_job(static_cast<std::int32_t>(i + 2), noon, rows[i]);
  f.db->exec("UPDATE rm_schedule SET next_ms = 9223372036854775807 WHERE job = 9");
  core::slot_set all;
  all.set();
  const auto jobs = require(f.firings().load_jobs(all, core::job_id{0}, 100));
  REQUIRE(jobs.size() == rows.size() + 1);
  const auto compiles = [&](std::size_t i) {
    return core::schedule::compile(jobs[i].spec->schedule, jobs[i].spec->schedule_conf, core::zone{}).has_value();
  };
  CHECK(compiles(0));
  CHECK_FALSE(compiles(1));
  CHECK_FALSE(compiles(2));
  CHECK(jobs[3].spec->route == core::route_strategy::unknown);
  CHECK(jobs[3].spec->misfire == core::misfire_policy::do_nothing);
  CHECK(jobs[4].spec->glue_updated == core::time_point{});
  CHECK(core::child_ids(*jobs[7].spec) == std::vector{core::job_id{1}});
  CHECK_FALSE(jobs[8].next);
  // All of them can be claimed, except the one without a valid time.
  auto batch = f.batch();
  for (std::size_t i = 0; i + 1 < jobs.size(); ++i)
    f.plan(batch, jobs[i].spec);
  CHECK(require(f.firings().claim(batch, noon)).runs.size() == jobs.size() - 1);
}
