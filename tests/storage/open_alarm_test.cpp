// Alarms that are not finished, as administrators list them.

#include <string>
#include <vector>

#include "core/alarm/open_alarm.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct open_alarm_fixture : firing_fixture {
  explicit open_alarm_fixture(const test_backend& backend) : firing_fixture{backend} {
    db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (1, 'pay-worker', 'Payments', 0)");
  }

  core::log_id fail(std::int32_t job) {
    const auto run = claimed(job, 0, {{"alarm_email", "'a@x.example'"}});
    record({answer(run, 500, "connection refused")}, {});
    return run.id;
  }
  void add_alarm(std::int64_t since, int state, std::int64_t run) {
    db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms)"
             " VALUES ('alarm', 7, 0, " + std::to_string(run) + ", 0, 0, 0, " + std::to_string(state) + ", " +
             std::to_string(since) + ")");
  }
  core::open_alarm_list open(std::size_t limit = core::open_alarms_max) {
    return require(store->searches().open_alarms(limit, core::local_operator()));
  }
};

} // namespace

TEST_CASE("an alarm is open until it is finished", "[storage][alarms]") {
  open_alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(f.open().rows.empty());
  const auto run = f.fail(7);
  auto listed = f.open();
  REQUIRE(listed.rows.size() == 1);
  CHECK_FALSE(listed.more);
  core::open_alarm wanted{listed.rows[0].id, core::alarm_kind::failure, core::job_id{7}, "a job", core::group_id{1}, "Payments",
                          run, noon + 10s, std::nullopt};
  CHECK(listed.rows[0] == wanted);

  const auto taken = require(f.store->alarms().take(f.me, false, noon + 20s, 100));
  REQUIRE(taken.size() == 1);
  wanted.node = f.me.node;
  CHECK(f.open().rows == std::vector{wanted});

  const core::alarm_end end{taken[0].id, core::alarm_status::sent, true};
  require(f.store->alarms().finish(f.me, {&end, 1}));
  CHECK(f.open().rows.empty());
}

TEST_CASE("an alarm that an ended incarnation had taken waits", "[storage][alarms]") {
  open_alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.fail(7);
  require(f.store->alarms().take(f.me, false, noon + 20s, 100));
  CHECK(f.open().rows.at(0).node == f.me.node);
  f.db->exec("UPDATE rm_node SET incarnation = incarnation + 1");
  CHECK_FALSE(f.open().rows.at(0).node);
}

TEST_CASE("an open alarm of a removed job has no names", "[storage][alarms]") {
  open_alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  f.fail(7);
  f.db->exec("DELETE FROM xxl_job_info");
  const auto listed = f.open();
  REQUIRE(listed.rows.size() == 1);
  CHECK(listed.rows[0].job == core::job_id{7});
  CHECK_FALSE(listed.rows[0].job_name);
  CHECK_FALSE(listed.rows[0].group);
  CHECK_FALSE(listed.rows[0].group_title);
}

TEST_CASE("open alarms of both states are listed together, oldest first, up to a limit", "[storage][alarms]") {
  open_alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int i = 0; i < 6; ++i)
    f.add_alarm(1000 + i, i % 2 == 0 ? 2 : 3, 100 - i);
  // Requests to run are not alarms.
  f.add_alarm(1, 0, 200);
  f.add_alarm(2, 1, 201);
  const auto runs = [&](std::size_t limit) {
    std::vector<std::int64_t> out;
    for (const auto& each : f.open(limit).rows)
      out.push_back(core::number(each.run));
    return out;
  };
  CHECK(runs(6) == std::vector<std::int64_t>{100, 99, 98, 97, 96, 95});
  CHECK_FALSE(f.open(6).more);
  CHECK(runs(5) == std::vector<std::int64_t>{100, 99, 98, 97, 96});
  CHECK(f.open(5).more);
  CHECK(runs(1) == std::vector<std::int64_t>{100});
}

TEST_CASE("open alarms are for administrators", "[storage][alarms]") {
  open_alarm_fixture f{GENERATE(from_range(backends_under_test()))};
  core::principal viewer{core::user_id{5}, "tom"};
  CHECK(error_of(f.store->searches().open_alarms(core::open_alarms_max, viewer)) == core::errc::forbidden);
}
