// Counts of runs by hour and day, from the log itself.

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::group_right;

namespace {

struct counted_run {
  std::int64_t id = 0;
  std::string when = "2024-03-01 12:00:00";
  /// Empty: none.
  std::string ended = {};
  int trigger_code = 200;
  int handle_code = 200;
  int group = 1;
  int job = 7;
};

struct report_fixture : firing_fixture {
  explicit report_fixture(const test_backend& backend) : firing_fixture{backend} {
    for (const auto& [job, group] : {std::pair{7, 1}, std::pair{8, 2}})
      db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy,"
               " executor_block_strategy, glue_type) VALUES (" + std::to_string(job) + ", " + std::to_string(group)
               + ", 'j', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')");
  }

  void add(const counted_run& row) {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_time, handle_code) VALUES ("
             + std::to_string(row.id) + ", " + std::to_string(row.group) + ", " + std::to_string(row.job) + ", '" + row.when
             + "', " + std::to_string(row.trigger_code) + ", " + (row.ended.empty() ? "NULL" : "'" + row.ended + "'") + ", "
             + std::to_string(row.handle_code) + ")");
  }

  core::result<std::vector<core::day_report>> count(const core::report_search& search) {
    return store->run_reading().count(search, {core::user_id{1}, "admin", true});
  }
};

} // namespace

TEST_CASE("runs are counted by hour with their median duration, and hours without runs are listed", "[storage][runs]") {
  report_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1, .when = "2024-03-01 11:59:59", .ended = "2024-03-01 12:10:00"});
  f.add({.id = 2, .ended = "2024-03-01 12:00:01"});
  f.add({.id = 3, .when = "2024-03-01 12:00:05", .ended = "2024-03-01 12:00:08", .handle_code = 500});
  f.add({.id = 4, .when = "2024-03-01 12:59:59", .ended = "2024-03-01 14:00:00"});
  f.add({.id = 5, .when = "2024-03-01 12:30:00", .handle_code = 0});
  f.add({.id = 6, .when = "2024-03-01 12:30:00", .trigger_code = 500, .handle_code = 0});
  f.add({.id = 7, .when = "2024-03-01 14:00:00", .handle_code = 0});
  f.add({.id = 8, .when = "2024-03-01 15:00:00", .ended = "2024-03-01 15:00:01"});
  const auto hours = require(f.count({.from = noon, .to = noon + 3h, .by_hour = true}));
  const std::vector<core::day_report> expected{
    {noon, {5, 1, 2}, core::milliseconds{3000}}, {noon + 1h, {}, {}}, {noon + 2h, {1, 1, 0}, {}}};
  CHECK(hours == expected);
  // A part of an hour does not count.
  CHECK(require(f.count({.from = noon + 1s, .to = noon + 1h, .by_hour = true})).empty());
  CHECK(require(f.count({.from = noon, .to = noon, .by_hour = true})).empty());
  const auto days = require(f.count({.from = noon - 36h, .to = noon + 12h}));
  REQUIRE(days.size() == 2);
  CHECK(days[0] == core::day_report{noon - 36h, {}, {}});
  CHECK(days[1] == core::day_report{noon - 12h, {8, 2, 4}, core::milliseconds{3000}});
}

TEST_CASE("runs are counted of one group or job, with the permission of a viewer", "[storage][runs]") {
  report_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1});
  f.add({.id = 2, .group = 2, .job = 8});
  f.add({.id = 3, .group = 2, .job = 8});
  f.add({.id = 4, .group = 2, .job = 7});
  const auto total = [&](std::optional<core::group_id> group, std::optional<core::job_id> job, const core::principal& by) {
    const auto hours =
      f.store->run_reading().count({.from = noon, .to = noon + 1h, .group = group, .job = job, .by_hour = true}, by);
    if (!hours)
      return std::int64_t{error_of(hours) == core::errc::forbidden ? -1 : -2};
    return hours->at(0).counts.total;
  };
  const core::principal admin{core::user_id{1}, "admin", true};
  const core::principal viewer{core::user_id{7}, "carol", false, {{core::group_id{1}, group_right::viewer}}, "10.1.1.1"};
  CHECK(total({}, {}, admin) == 4);
  CHECK(total(core::group_id{2}, {}, admin) == 3);
  CHECK(total({}, core::job_id{7}, admin) == 2);
  CHECK(total(core::group_id{2}, core::job_id{7}, admin) == 1);
  CHECK(total({}, core::job_id{99}, admin) == 0);
  // Every user may see the figures of all runs, as those of the daily report.
  CHECK(total({}, {}, viewer) == 4);
  CHECK(total(core::group_id{1}, {}, viewer) == 1);
  CHECK(total({}, core::job_id{7}, viewer) == 1);
  CHECK(total(core::group_id{2}, {}, viewer) == -1);
  CHECK(total({}, core::job_id{8}, viewer) == -1);
  CHECK(total({}, core::job_id{99}, viewer) == -1);
}

TEST_CASE("a range with too many runs is not counted", "[storage][runs]") {
  report_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto far = storage::run_reader::rows_counted + 2;
  f.add({.id = 1, .when = "2024-03-01 11:59:00"});
  f.add({.id = 2});
  f.add({.id = far});
  for (const auto& search : {core::report_search{.from = noon, .to = noon + 1h, .by_hour = true},
                             core::report_search{.from = noon, .to = noon + 24h, .group = core::group_id{1}}}) {
    const auto refused = f.count(search);
    CHECK(error_of(refused) == core::errc::invalid_argument);
    CHECK(refused.error().context.find("shorter range") != std::string::npos);
  }
}

TEST_CASE("runs of a job are counted up to the limit of one request", "[storage][runs]") {
  const test_backend backend = GENERATE(from_range(backends_under_test()));
  report_fixture f{backend};
  const auto most = storage::run_reader::rows_searched;
  f.add({.id = 1});
  for (std::int64_t rows = 1; rows <= most; rows *= 2)
    f.db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) SELECT id + "
               + std::to_string(rows) + ", job_group, job_id, trigger_time, trigger_code, handle_code FROM xxl_job_log");
  const core::report_search hour{.from = noon, .to = noon + 1h, .job = core::job_id{7}, .by_hour = true};
  f.db->exec("DELETE FROM xxl_job_log WHERE id > " + std::to_string(most + 1));
  // XXL's oldest log has no index on jobs, nor has a log upgraded from it: its rows are counted by their ids.
  if (backend.generation != 4 && !backend.name.ends_with("upgraded"))
    CHECK(error_of(f.count(hour)) == core::errc::invalid_argument);
  f.db->exec("DELETE FROM xxl_job_log WHERE id > " + std::to_string(most));
  CHECK(require(f.count(hour)).at(0).counts.total == most);
}
