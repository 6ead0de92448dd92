// The runs around a run, names of their jobs, finer statuses, and lists of given runs.

#include "core/run/trigger_note.hpp"
#include "core/text/result_text.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::run_status;

namespace {

using run_ids = std::vector<std::int64_t>;

core::principal admin_of_runs() { return {core::user_id{1}, "admin", true, {}, {}}; }
core::principal viewer_in(std::int32_t group) {
  return {core::user_id{7}, "carol", false, {{core::group_id{group}, core::group_right::viewer}}, {}};
}

std::string note_text(core::trigger_kind kind, std::int64_t origin = 0, std::string host = "h") {
  core::trigger_note note;
  note.kind = kind;
  note.origin = core::log_id{origin};
  note.node_host = std::move(host);
  return core::encode(note);
}

struct related_row {
  std::int64_t id = 0;
  int job = 7;
  int group = 1;
  int trigger_code = 200;
  int handle_code = 500;
  std::string trigger_msg = note_text(core::trigger_kind::cron);
  std::string handle_msg = {};
  std::string when = "2024-03-01 12:00:00";
  std::string ended = "2024-03-01 12:00:30";
  std::string shard = {};
};

struct relations_fixture : firing_fixture {
  using firing_fixture::firing_fixture;

  void add(const related_row& row) {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, trigger_msg, handle_code, handle_time,"
             " handle_msg, executor_sharding_param) VALUES (" + std::to_string(row.id) + ", " + std::to_string(row.group) + ", "
             + std::to_string(row.job) + ", '" + row.when + "', " + std::to_string(row.trigger_code) + ", '" + row.trigger_msg
             + "', " + std::to_string(row.handle_code) + ", " + (row.handle_code == 0 ? "NULL" : "'" + row.ended + "'") + ", '"
             + row.handle_msg + "', " + (row.shard.empty() ? "NULL" : "'" + row.shard + "'") + ")");
    const auto is_failure = [](int code) { return code != 0 && code != 200; };
    if (is_failure(row.trigger_code) || is_failure(row.handle_code))
      db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (" + std::to_string(row.id) + ", 7, 0)");
  }
  void add_job_of(int id, int group, const std::string& name, const std::string& children = "") {
    db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy,"
             " executor_block_strategy, glue_type, child_jobid) VALUES (" + std::to_string(id) + ", " + std::to_string(group)
             + ", '" + name + "', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', '" + children + "')");
  }

  core::related_runs related(std::int64_t id, const core::principal& by = admin_of_runs()) {
    return require(store->run_reading().related(core::log_id{id}, by));
  }
  run_ids found(const core::run_search& search, const core::principal& by = admin_of_runs()) {
    return ids(require(store->run_reading().page(search, 1000, by)).rows);
  }
  static run_ids ids(const std::vector<core::log_row>& rows) {
    run_ids out;
    for (const auto& row : rows)
      out.push_back(core::number(row.id));
    return out;
  }
};

} // namespace

TEST_CASE("attempts of a run are found in both directions, with the parent of the first", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1, "settle");
  f.add_job_of(8, 2, "first", "7");
  f.add({.id = 5, .job = 8, .group = 2, .handle_code = 200});
  f.add({.id = 10, .trigger_msg = note_text(core::trigger_kind::parent, 5)});
  f.add({.id = 11}); // another run of the job
  f.add({.id = 12, .trigger_msg = note_text(core::trigger_kind::retry, 10), .when = "2024-03-01 12:00:31",
         .ended = "2024-03-01 12:01:00"});
  f.add({.id = 13, .trigger_msg = note_text(core::trigger_kind::cron, 0, "host@10")});
  f.add({.id = 14, .handle_code = 200, .trigger_msg = note_text(core::trigger_kind::retry, 12), .when = "2024-03-01 12:01:01"});
  const auto middle = f.related(12);
  CHECK(f.ids(middle.retries) == run_ids{10, 14});
  CHECK(middle.attempt == 2);
  REQUIRE(middle.parent);
  CHECK(middle.parent->id == core::log_id{5});
  CHECK(f.ids(f.related(10).retries) == run_ids{12, 14});
  CHECK(f.related(10).attempt == 1);
  CHECK(f.related(14).attempt == 3);
  CHECK(f.related(11).retries.empty());
  // A group that the user may not see.
  CHECK_FALSE(f.related(12, viewer_in(1)).parent);
  CHECK(error_of(f.store->run_reading().related(core::log_id{12}, viewer_in(2))) == core::errc::forbidden);
  CHECK(error_of(f.store->run_reading().related(core::log_id{99}, admin_of_runs())) == core::errc::not_found);
  // The first attempt is gone.
  f.db->exec("DELETE FROM xxl_job_log WHERE id = 10");
  CHECK_FALSE(f.related(12).attempt);
  CHECK_FALSE(f.related(12).parent);
}

TEST_CASE("children of a run are those of its job's children that name it", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1, "settle", "8,9,nonsense,7");
  f.add_job_of(8, 1, "next");
  f.add_job_of(9, 2, "elsewhere");
  f.add({.id = 1, .handle_code = 200});
  f.add({.id = 2, .job = 8, .handle_code = 200, .trigger_msg = note_text(core::trigger_kind::parent, 1)});
  f.add({.id = 3, .job = 8, .handle_code = 200, .trigger_msg = note_text(core::trigger_kind::parent, 11)});
  f.add({.id = 4, .job = 9, .group = 2, .handle_code = 200, .trigger_msg = note_text(core::trigger_kind::parent, 1)});
  f.add({.id = 5, .job = 8, .handle_code = 200, .trigger_msg = note_text(core::trigger_kind::parent, 1),
         .when = "2024-03-01 13:00:00"});
  CHECK(f.ids(f.related(1).children) == run_ids{2, 4});
  CHECK(f.ids(f.related(1, viewer_in(1)).children) == run_ids{2});
  CHECK(f.related(2).parent->id == core::log_id{1});
  CHECK(f.related(2).children.empty());
}

TEST_CASE("shards of a broadcast have each other", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1, "settle");
  for (int index = 0; index < 3; ++index)
    f.add({.id = 20 + index, .handle_code = 200, .shard = std::to_string(index) + "/3"});
  f.add({.id = 30, .handle_code = 200});
  CHECK(f.ids(f.related(21).shards) == run_ids{20, 21, 22});
  CHECK(f.related(30).shards.empty());
}

TEST_CASE("the user of a manual run stays known after its request is forgotten", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7, core::time_point{});
  const auto intent = require(
    f.store->jobs().trigger({core::job_id{7}, core::trigger_kind::manual, {}, {}, -1}, noon, admin_of_runs()));
  auto batch = f.batch();
  auto run = f.run_of(f.job(7));
  run.intent = intent.id;
  run.kind = intent.kind;
  batch.runs.push_back(run);
  const auto made = require(f.firings().claim(batch, noon)).runs.at(0);
  CHECK(f.related(core::number(made.id)).by == "admin");
  f.record({f.answer(made, 200)}, {f.callback(made, 200)});
  require(f.store->maintenance().forget_taken_intents(noon + std::chrono::hours{1}, 100));
  CHECK(f.db->query("SELECT id FROM rm_intent").empty());
  CHECK(require(f.store->maintenance().forget_orphans(10)) == 0);
  CHECK(f.related(core::number(made.id)).by == "admin");
  const std::vector<core::log_row> rows{f.row(made.id)};
  CHECK(require(f.store->run_reading().names(rows, admin_of_runs())).requesters
        == std::map<core::log_id, std::string>{{made.id, "admin"}});
  CHECK(error_of(f.store->jobs().runs_of(intent.id, admin_of_runs())) == core::errc::not_found);
  f.db->exec("UPDATE rm_asked_run SET user_name = NULL"); // a run of an earlier release
  CHECK(f.related(core::number(made.id)).by.empty());
}

TEST_CASE("names are those of jobs and groups that exist and that the user may see", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1, "settle");
  f.add_job_of(8, 2, "moved");
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (1, 'pay-worker', 'Payments', 0)");
  std::vector<core::log_row> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].job = core::job_id{7 + static_cast<std::int32_t>(i)};
    rows[i].group = core::group_id{i == 2 ? 77 : 1};
  }
  const auto all = require(f.store->run_reading().names(rows, admin_of_runs()));
  CHECK(all.jobs == std::map<core::job_id, std::string>{{core::job_id{7}, "settle"}, {core::job_id{8}, "moved"}});
  CHECK(all.groups == std::map<core::group_id, std::string>{{core::group_id{1}, "Payments"}});
  CHECK(require(f.store->run_reading().names(rows, viewer_in(1))).jobs.size() == 1);
  CHECK(require(f.store->run_reading().names({}, admin_of_runs())).jobs.empty());
}

TEST_CASE("finer statuses follow from codes and recorded words", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job_of(7, 1, "settle");
  f.add({.id = 1, .trigger_code = 0, .handle_code = 0});
  f.add({.id = 2, .handle_code = 0});
  f.add({.id = 3, .handle_code = 200});
  f.add({.id = 4, .trigger_code = 500, .handle_code = 0});
  f.add({.id = 5, .handle_code = 502, .handle_msg = "job execute timeout "});
  f.add({.id = 6, .trigger_code = 500, .handle_code = 0,
         .trigger_msg = "rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;1;1709265600000;1709265600000;late"});
  f.add({.id = 7, .trigger_code = 500, .handle_code = 0,
         .trigger_msg = "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;0;delivery unknown: no answer in time"});
  std::int64_t id = 10;
  run_ids lost, killed;
  for (const auto written : {core::language::zh_cn, core::language::zh_tc, core::language::en}) {
    f.add({.id = id, .handle_msg = std::string{core::lost_result(written)}});
    lost.insert(lost.begin(), id++);
    f.add({.id = id, .handle_msg = std::string{core::killed_result(written)} + "said"});
    killed.insert(killed.begin(), id++);
  }
  for (const auto* end : {"scheduling center kill job. [job running, killed]",
                          "block strategy effect：Cover Early [job running, killed]",
                          "change jobhandler or glue type, and terminate the old job thread. [job running, killed]",
                          "web container destroy and kill the job. [job not executed, in the job queue, killed.]"}) {
    f.add({.id = id, .handle_msg = end});
    killed.insert(killed.begin(), id++);
  }
  f.add({.id = id, .handle_msg = "scheduling center kill job. No, a text of the handler"});
  for (const auto job : {std::optional<core::job_id>{}, std::optional{core::job_id{7}}}) {
    const auto with = [&](std::vector<run_status> some) {
      core::run_search search;
      search.job = job;
      search.window.limit = 100;
      if (some.size() == 1)
        search.status = some.front();
      else
        search.one_of = std::move(some);
      return f.found(search);
    };
    CHECK(with({run_status::pending}) == run_ids{1});
    CHECK(with({run_status::not_sent}) == run_ids{4});
    CHECK(with({run_status::unknown}) == run_ids{7});
    CHECK(with({run_status::not_sent, run_status::unknown}) == run_ids{7, 4});
    CHECK(with({run_status::timed_out}) == run_ids{5});
    CHECK(with({run_status::lost}) == lost);
    CHECK(with({run_status::killed}) == killed);
    CHECK(with({run_status::pending, run_status::running}) == run_ids{2, 1});
    CHECK(with({run_status::timed_out, run_status::succeeded, run_status::missed}) == run_ids{6, 5, 3});
    CHECK(with({run_status::failed, run_status::timed_out}).size() == 5 + 7 + 3);
  }
}

TEST_CASE("given runs are read, newest first, without those of other groups", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1});
  f.add({.id = 2, .group = 2});
  f.add({.id = 3});
  core::run_search search;
  search.ids = {core::log_id{3}, core::log_id{1}, core::log_id{2}, core::log_id{99}, core::log_id{3}};
  CHECK(f.found(search) == run_ids{3, 2, 1});
  CHECK(f.found(search, viewer_in(1)) == run_ids{3, 1});
  CHECK(require(f.store->run_reading().page(search, 10, viewer_in(1))).total == 2);
}

TEST_CASE("runs after an id are counted without their rows", "[storage][runs]") {
  relations_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id = 1; id <= 5; ++id)
    f.add({.id = id});
  core::run_search search;
  search.after = core::log_id{2};
  CHECK(f.found(search) == run_ids{5, 4, 3});
  search.window.limit = 0;
  const auto counted = require(f.store->run_reading().page(search, 1000, admin_of_runs()));
  CHECK(counted.rows.empty());
  CHECK(counted.total == 3);
  search.after = core::log_id{5};
  CHECK(require(f.store->run_reading().page(search, 1000, admin_of_runs())).total == 0);
}
