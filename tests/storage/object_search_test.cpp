// Search over jobs, groups, runs and users, and the changes of one job, on every backend.

#include <string>
#include <vector>

#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

struct search_fixture : editing<deploy_fixture> {
  using editing<deploy_fixture>::editing;

  core::job_id add_named(const std::string& name, core::group_id group, const std::string& handler) {
    auto wanted = draft();
    wanted.name = name;
    wanted.group = group;
    wanted.handler = handler;
    return add(wanted);
  }
  core::found_objects find(const std::string& text, const core::principal& by = core::local_operator(),
                           std::size_t limit = core::found_objects_max) {
    return require(store->searches().find({text, limit}, by, [] { return true; }));
  }
  /// Returns the names of the jobs, in their order.
  std::string jobs(const std::string& text, const core::principal& by = core::local_operator(),
                   std::size_t limit = core::found_objects_max) {
    std::string out;
    for (const auto& job : find(text, by, limit).jobs)
      out += (out.empty() ? "" : ", ") + job.name;
    return out;
  }
  void add_log(std::int64_t id, core::group_id group) {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (" +
             std::to_string(id) + ", " + std::to_string(core::number(group)) + ", 1, '2026-01-01 12:00:00', 200, 200)");
  }
  std::string runs(const std::string& text, const core::principal& by = core::local_operator()) {
    std::string out;
    for (const auto& run : find(text, by).runs)
      out += (out.empty() ? "" : " ") + std::to_string(core::number(run.id));
    return out;
  }
};

} // namespace

TEST_CASE("jobs are found by parts of their name and handler, the best matches first", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_named("Settle", f.pay, "payHandler");
  f.add_named("Settle daily", f.pay, "payHandler");
  f.add_named("Resettle", f.pay, "payHandler");
  f.add_named("Letters", f.mail, "mailHandler");
  CHECK(f.jobs("settle") == "Settle, Settle daily, Resettle");
  CHECK(f.jobs("SETTLE", core::local_operator(), 2) == "Settle, Settle daily");
  CHECK(f.jobs("mailhandler") == "Letters");
  CHECK(f.jobs("Handler") == "Letters, Resettle, Settle daily, Settle");
  CHECK(f.jobs("nothing").empty());
}

TEST_CASE("characters of patterns are plain text in a search", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_named("100% of it", f.pay, "h");
  f.add_named("1000 of it", f.pay, "h");
  f.add_named("a_b'\\", f.pay, "h");
  CHECK(f.jobs("0%") == "100% of it");
  CHECK(f.jobs("a_b") == "a_b'\\");
  CHECK(f.jobs("'\\") == "a_b'\\");
  CHECK(f.jobs("' OR 1=1 --").empty());
  CHECK(f.jobs("%") == "100% of it");
}

TEST_CASE("jobs are found by the first digits of their id", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = f.add_named("First", f.pay, "h");
  f.add_named("About " + text_of(first), f.pay, "h");
  CHECK(f.jobs(text_of(first)) == "First, About " + text_of(first));
  f.db->exec("UPDATE xxl_job_info SET id = 4711 WHERE id = " + text_of(first));
  CHECK(f.jobs("47") == "First");
  CHECK(f.jobs("4711") == "First");
  CHECK(f.jobs("711").empty());
}

TEST_CASE("users find only objects of their groups", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto own = f.add_named("Common", f.pay, "h");
  const auto other = f.add_named("Common too", f.mail, "h");
  f.add_log(70, f.pay);
  f.add_log(71, f.mail);
  const auto viewer = f.user(f.pay, core::group_right::viewer);
  CHECK(f.jobs("common") == "Common, Common too");
  CHECK(f.jobs("common", viewer) == "Common");
  CHECK(f.jobs(text_of(own), viewer) == "Common");
  CHECK(f.jobs(text_of(other), viewer).empty());
  CHECK(f.runs("7") == "71 70");
  CHECK(f.runs("7", viewer) == "70");
  CHECK(f.runs("71", viewer).empty());
  CHECK(f.find("worker").groups.size() == 2);
  REQUIRE(f.find("worker", viewer).groups.size() == 1);
  CHECK(f.find("worker", viewer).groups[0].app_name == "pay-worker");
  core::principal stranger{core::user_id{9}, "tim"};
  const auto found = f.find("o", stranger);
  CHECK((found.jobs.empty() && found.groups.empty() && found.runs.empty() && found.users.empty()));
}

TEST_CASE("runs are found by their id and its first digits", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  for (const auto id : {7, 70, 71, 700, 701, 6, 17})
    f.add_log(id, f.pay);
  CHECK(f.runs("7") == "7 701 700 71 70");
  CHECK(f.runs("70") == "70 701 700");
  CHECK(f.runs("8").empty());
  CHECK(f.runs("seven").empty());
}

TEST_CASE("users are found by administrators only", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_user (id, username, password, role, permission) VALUES (31, 'Annabel', 'x', 0, '')");
  REQUIRE(f.find("anna").users.size() == 1);
  CHECK(f.find("anna").users[0].name == "Annabel");
  CHECK(f.find("31").users.size() == 1);
  CHECK(f.find("anna", f.user(f.pay)).users.empty());
}

TEST_CASE("declared jobs are found by their key", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add_named("Nightly", f.pay, "h");
  f.db->exec("DELETE FROM rm_job_ext WHERE job = " + text_of(job));
  f.db->exec("INSERT INTO rm_job_ext (job, job_key) VALUES (" + text_of(job) + ", 'settle-all')");
  CHECK(f.jobs("tle-a") == "Nightly");
  CHECK(f.find("tle-a").jobs[0].key == "settle-all");
}

TEST_CASE("a search that takes too long ends after a portion, and ids are found all the same", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add_named("Old", f.pay, "h");
  // The next portion begins far above it.
  f.db->exec("UPDATE xxl_job_info SET id = 1 WHERE id = " + text_of(job));
  const auto rows = storage::jobs_looked_at_once + 10;
  for (std::size_t done = 0; done < rows;) {
    std::string values;
    for (std::size_t some = 0; some < 500 && done < rows; ++some, ++done)
      values += (values.empty() ? "(" : ", (") + std::to_string(1000 + done) + ", " + std::to_string(core::number(f.pay)) +
                ", 'Many', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')";
    f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy,"
               " executor_block_strategy, glue_type) VALUES " + values);
  }
  int asked = 0;
  const auto hurried = [&asked] { return ++asked < 1; };
  const auto cut = require(f.store->searches().find({"old", 8}, core::local_operator(), hurried));
  CHECK(cut.jobs.empty());
  CHECK(cut.truncated);
  CHECK(asked == 1);
  const auto by_id = require(f.store->searches().find({"1", 8}, core::local_operator(), [] { return false; }));
  REQUIRE_FALSE(by_id.jobs.empty());
  CHECK(by_id.jobs[0].name == "Old");
  CHECK(f.jobs("old") == "Old");
  CHECK_FALSE(f.find("old").truncated);
  CHECK(f.find("many").jobs.size() == 8);
}

TEST_CASE("the changes of a job are listed with the time from which on they are complete", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = f.add_named("First", f.pay, "h");
  const auto second = f.add_named("Second", f.pay, "h");
  for (int minute = 1; minute <= 3; ++minute) {
    auto wanted = f.draft();
    wanted.param = std::to_string(minute);
    f.update(second, wanted, noon + minute * 1min);
  }
  const auto all = require(f.store->audits().edits_of(second, 10));
  REQUIRE(all.rows.size() == 4);
  CHECK(all.rows.front().at == noon + 3min);
  CHECK(all.rows.back().action == core::audit_action::add);
  CHECK(all.complete_from == noon);
  const auto some = require(f.store->audits().edits_of(second, 2));
  CHECK(some.rows.size() == 2);
  CHECK(some.complete_from == noon + 2min);
  CHECK(require(f.store->audits().edits_of(first, 1)).complete_from == noon);
  // Manual runs are no edits, however many there are.
  for (int run = 0; run < 5; ++run)
    f.db->exec("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes)"
               " SELECT at_ms + 1000, user_id, user_name, remote, 'trigger', object, object_id, object_name, '' FROM rm_audit"
               " WHERE action = 'add' AND object = 'job' AND object_id = " + text_of(second));
  const auto edits = require(f.store->audits().edits_of(second, 4));
  CHECK(edits.rows.size() == 4);
  CHECK(edits.complete_from == noon);
  CHECK(edits.rows.front().at == noon + 3min);
  CHECK(require(f.store->audits().edits_of(core::job_id{99}, 5)).rows.empty());
}

TEST_CASE("a search tells that objects which the user may see can follow those of others", "[storage][search]") {
  search_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto viewer = f.user(f.pay, core::group_right::viewer);
  const auto pay = std::to_string(core::number(f.pay));
  const auto mail = std::to_string(core::number(f.mail));
  std::string jobs = "(100, " + pay + ", 'Own', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')";
  for (int id = 101; id < 180; ++id)
    jobs += ", (" + std::to_string(id) + ", " + mail + ", 'Other', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')";
  f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy,"
             " executor_block_strategy, glue_type) VALUES " + jobs);
  CHECK(f.find("1", viewer).truncated);
  CHECK_FALSE(f.find("1").truncated); // the newest of them are enough
  CHECK_FALSE(f.find("100", viewer).truncated);
  CHECK_FALSE(f.find("Own", viewer).truncated);
  CHECK_FALSE(f.find("worker", viewer).truncated);
  for (int first = 1000; first < 2000; first += 500) {
    std::string groups;
    for (int id = first; id < first + 500; ++id)
      groups += (groups.empty() ? "(" : ", (") + std::to_string(id) + ", 'worker-" + std::to_string(id) + "', 'Other', 0)";
    f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES " + groups);
  }
  const auto found = f.find("worker", viewer);
  CHECK(found.groups.empty());
  CHECK(found.truncated);
}
