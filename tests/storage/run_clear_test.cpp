// Clearing of runs by users.

#include "tests/storage/run_reader_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::group_right;

TEST_CASE("clearing by age removes runs up to the given age, with their dependent rows", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1, .when = "2024-02-29 23:59:59"});
  f.add({.id = 2, .when = "2024-03-01 12:00:00", .handle_code = 500});
  f.add({.id = 3, .when = ""});
  f.add({.id = 4, .when = "2024-03-01 12:00:01", .handle_code = 500});
  f.add({.id = 5, .when = "2024-03-01 11:00:00", .handle_code = 0});
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (2, 7, 0), (4, 7, 0)");
  f.db->exec("INSERT INTO rm_asked_run (log_id, intent) VALUES (2, 1), (4, 1)");
  CHECK(f.clear({.until = noon}, 2) == 3);
  CHECK(f.ids() == id_list{3, 4});
  CHECK(f.ids("log_id", "rm_failed_run") == id_list{4});
  CHECK(f.ids("log_id", "rm_asked_run") == id_list{4});
  CHECK(f.db->query("SELECT user_name, action, object, object_id, object_name, changes FROM rm_audit")
        == table{{"admin", "clear", "run", "0", "all", "until: 2024-03-01 12:00:00"}});
}

TEST_CASE("clearing all but the newest counts within the group and the job", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 12; ++id)
    f.add({.id = id * 10'000, .group = id % 3 == 0 ? 2 : 1, .job = id % 2 == 0 ? 8 : 7});
  CHECK(f.clear({.keep_newest = 12}) == 0);
  CHECK(f.clear({.keep_newest = 11}) == 1);
  CHECK(f.ids().front() == 20'000);
  // 30000 and 90000 are of group 2 and job 7.
  CHECK(f.clear({.group = core::group_id{2}, .job = core::job_id{7}, .keep_newest = 1}) == 1);
  CHECK(f.ids() == id_list{20'000, 40'000, 50'000, 60'000, 70'000, 80'000, 90'000, 100'000, 110'000, 120'000});
  CHECK(f.clear({.group = core::group_id{1}, .keep_newest = 3}, 1) == 4);
  CHECK(f.ids() == id_list{60'000, 80'000, 90'000, 100'000, 110'000, 120'000});
  CHECK(f.clear({.job = core::job_id{8}, .keep_newest = 2}) == 2);
  CHECK(f.ids() == id_list{90'000, 100'000, 110'000, 120'000});
  CHECK(f.clear({.group = core::group_id{9}}) == 0);
  CHECK(f.clear({}) == 4);
  CHECK(f.clear({}) == 0);
}

TEST_CASE("claimed runs and runs that arrive meanwhile stay when all is cleared", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto held = f.claimed(1);
  const auto base = core::number(held.id);
  for (int i = 1; i <= 5; ++i)
    f.add({.id = base + i});
  auto step = require(f.reader().clear({}, {}, 2, admin(), noon));
  CHECK(step.removed == 0);
  REQUIRE(step.next);
  f.add({.id = base + 6});
  std::size_t removed = 0;
  for (; step.next; removed += step.removed)
    step = require(f.reader().clear({}, step.next, 2, admin(), noon));
  CHECK(removed == 5);
  CHECK(f.ids() == id_list{base, base + 6});
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "1");
}

TEST_CASE("clearing needs editor permission in each step", "[storage][runs]") {
  reader_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1);
  f.add({.id = 1, .group = 1, .job = 7});
  f.add({.id = 2, .group = 2, .job = 7});
  const auto refused = [&](const core::clear_search& search, const core::principal& by) {
    CHECK(error_of(f.reader().clear(search, core::clear_place{core::log_id{0}, core::log_id{2}, 0}, 10, by, noon))
          == core::errc::forbidden);
    return error_of(f.reader().clear(search, {}, 10, by, noon));
  };
  const auto operates = user({{core::group_id{1}, group_right::operate}});
  const auto edits = user({{core::group_id{1}, group_right::editor}});
  CHECK(refused({.group = core::group_id{1}}, operates) == core::errc::forbidden);
  CHECK(refused({.job = core::job_id{7}}, operates) == core::errc::forbidden);
  CHECK(refused({.group = core::group_id{2}}, edits) == core::errc::forbidden);
  CHECK(refused({.job = core::job_id{99}}, edits) == core::errc::forbidden);
  CHECK(refused({}, edits) == core::errc::forbidden);
  CHECK(f.ids() == id_list{1, 2});
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "0");
  // The run of their job that is recorded in another group stays.
  CHECK(f.clear({.job = core::job_id{7}}, 10, edits) == 1);
  CHECK(f.ids() == id_list{2});
}
