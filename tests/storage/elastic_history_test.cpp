// The history of elastic jobs: pages of runs, and ElasticJob's tables as views.

#include "core/elastic/elastic_history.hpp"
#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

std::vector<std::int64_t> run_ids_on(const elastic::elastic_history& page) {
  std::vector<std::int64_t> out;
  for (const auto& run : page.rows)
    out.push_back(core::number(run.id));
  return out;
}

elastic::elastic_history read_history(elastic_fixture& f, elastic::elastic_history_search search) {
  search.job = f.job;
  return require(f.ej().history(search, elastic_viewer(7)));
}

/// Stores runs with ids from 1 on, a minute apart from noon on: item = id % 3, state 2, 3, 4 in turn, each fifth is open.
void add_runs(elastic_fixture& f, int count) {
  for (int id = 1; id <= count; ++id) {
    const auto granted = std::to_string(core::to_ms(noon + id * 60s));
    const auto state = id % 5 == 0 ? "1" : std::to_string(2 + id % 3);
    f.db->exec("INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
               " granted_ms, started_ms, ended_ms, state) VALUES ("
               + std::to_string(id) + ", " + std::to_string(core::number(f.job)) + ", " + std::to_string(id % 3)
               + ", 0, " + granted + ", 0, 0, 1, 1, " + std::to_string(core::number(f.host.host)) + ", 1, " + granted + ", 0, 0, "
               + state + ")");
  }
}

} // namespace

TEST_CASE("the runs of an elastic job are listed, newest first", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(read_history(f, {}).rows.empty());
  const auto run = f.open(1);
  const auto open = read_history(f, {});
  REQUIRE(open.rows.size() == 1);
  CHECK(open.rows[0].id == run);
  CHECK(open.rows[0].item == elastic::item_number{1});
  CHECK(open.rows[0].state == elastic::open_run_state);
  CHECK(open.rows[0].fence == elastic::fence_number{1});
  CHECK(open.rows[0].host == "h1");
  CHECK(open.rows[0].granted == noon);
  CHECK(open.rows[0].cause.fire.at == noon);
  CHECK_FALSE(open.rows[0].started);
  CHECK_FALSE(open.rows[0].ended);
  CHECK_FALSE(open.next);
  const elastic::action::write_end end{run, elastic::fence_number{1}, elastic::item_run_end::error, {}};
  REQUIRE(f.write_item(1, end, {noon + 1s, noon + 3s, "no disk"}).outcome == elastic::write_outcome::done);
  const auto ended = read_history(f, {}).rows.at(0);
  CHECK(ended.state == static_cast<std::uint8_t>(elastic::item_run_end::error));
  CHECK(ended.started == noon + 1s);
  CHECK(ended.ended == noon + 3s);
  CHECK(ended.message == "no disk");
  CHECK(error_of(f.ej().history({.job = f.job}, elastic_viewer(8))) == core::errc::forbidden);
  CHECK(error_of(f.ej().history({.job = elastic::elastic_job_id{99}}, core::local_operator())) == core::errc::not_found);
}

TEST_CASE("the history of an elastic job has pages and filters", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  add_runs(f, 10);
  f.db->exec("INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc,"
             " granted_ms, started_ms, ended_ms, state) VALUES (11, " + std::to_string(core::number(f.job))
             + ", -1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1)");
  using ids = std::vector<std::int64_t>;
  const auto first = read_history(f, {.limit = 4});
  // Calls of once-listeners are among them.
  CHECK(run_ids_on(first) == ids{11, 10, 9, 8});
  REQUIRE(first.next == elastic::item_run_id{8});
  const auto second = read_history(f, {.before = *first.next, .limit = 7});
  CHECK(run_ids_on(second) == ids{7, 6, 5, 4, 3, 2, 1});
  CHECK_FALSE(second.next);
  CHECK(run_ids_on(read_history(f, {.item = elastic::item_number{0}})) == ids{9, 6, 3});
  CHECK(run_ids_on(read_history(f, {.state = elastic::open_run_state})) == ids{11, 10, 5});
  CHECK(run_ids_on(read_history(f, {.state = std::uint8_t{3}})) == ids{7, 4, 1});
  CHECK(run_ids_on(read_history(f, {.from = noon + 120s, .until = noon + 240s})) == ids{4, 3, 2});
  CHECK(run_ids_on(read_history(f, {.item = elastic::item_number{1}, .state = std::uint8_t{3}, .limit = 1})) == ids{7});
  const auto nobody = elastic::item_number{99'999};
  CHECK(read_history(f, {.item = nobody}).rows.empty());
  f.db->exec("DELETE FROM ej_node");
  CHECK(read_history(f, {.limit = 1}).rows.at(0).host.empty());
}

TEST_CASE("one call reads a bounded number of runs", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  add_runs(f, 1);
  const auto limit = std::to_string(elastic::history_runs_per_call);
  f.db->exec("INSERT INTO ej_run (job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc, granted_ms,"
             " started_ms, ended_ms, state) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000),"
             " m(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM m WHERE k < 20) SELECT "
             + std::to_string(core::number(f.job)) + ", 2, 0, 1, 0, 0, 1, 1, 1, 1, " + std::to_string(core::to_ms(noon + 72h))
             + ", 0, 0, 2 FROM n, m");
  REQUIRE(f.db->value("SELECT COUNT(*) - 1 FROM ej_run") == limit);
  const auto wanted = elastic::item_number{1};
  const auto first = read_history(f, {.item = wanted});
  CHECK(first.rows.empty());
  REQUIRE(first.next);
  const auto second = read_history(f, {.item = wanted, .before = *first.next});
  CHECK(run_ids_on(second) == std::vector<std::int64_t>{1});
  CHECK_FALSE(second.next);
  // Runs before the first moment asked for are not read.
  f.db->exec("UPDATE ej_run SET granted_ms = " + std::to_string(core::to_ms(noon)));
  CHECK_FALSE(read_history(f, {.item = wanted, .from = noon + 2h}).next);
}

TEST_CASE("ElasticJob's tables show the runs and their states", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto done = core::number(f.open(0));
  const auto lost = core::number(f.open(1));
  const elastic::item_run_id done_run{done};
  const elastic::action::write_end end{done_run, elastic::fence_number{1}, elastic::item_run_end::finished, {}};
  REQUIRE(f.write_item(0, end, {noon + 1s, noon + 3s, ""}).outcome == elastic::write_outcome::done);
  f.db->exec("UPDATE ej_run SET state = 4, ended_ms = granted_ms + 5000, source = 2 WHERE id = " + std::to_string(lost));
  f.db->exec("INSERT INTO ej_fire (job, fire_ms, source, request, plan_version, config_version, state, expected, dropped)"
             " VALUES (" + std::to_string(core::number(f.job)) + ", 1772452800000, 0, 0, 1, 1, 6, 0, 0)");
  const auto run_text = std::to_string(done), lost_text = std::to_string(lost);
  for (const std::string name : {"ej_execution_log", "job_execution_log"}) {
    CAPTURE(name);
    CHECK(f.db->query("SELECT id, job_name, task_id, hostname, ip, sharding_item, execution_source, failure_cause, is_success"
                      " FROM " + name + " ORDER BY auto_id")
          == table{{run_text, "sums", "sums@-@0@-@READY@-@10.0.0.1@-@100@-@" + run_text, "h1", "10.0.0.1", "0",
                    "NORMAL_TRIGGER", "NULL", "1"},
                   {lost_text, "sums", "sums@-@1@-@FAILOVER@-@10.0.0.1@-@100@-@" + lost_text, "h1", "10.0.0.1", "1", "FAILOVER",
                    "TASK_LOST", "0"}});
  }
  for (const std::string name : {"ej_status_trace_log", "job_status_trace_log"}) {
    CAPTURE(name);
    CHECK(f.db->query("SELECT id, execution_type, sharding_item, state FROM " + name + " ORDER BY auto_id")
          == table{{run_text + "-0", "READY", "[0]", "TASK_STAGING"},
                   {run_text + "-1", "READY", "[0]", "TASK_RUNNING"},
                   {run_text + "-2", "READY", "[0]", "TASK_FINISHED"},
                   {lost_text + "-0", "FAILOVER", "[1]", "TASK_STAGING"},
                   {lost_text + "-2", "FAILOVER", "[1]", "TASK_LOST"},
                   {"d" + std::to_string(core::number(f.job)) + "-1772452800000-0", "READY", "[]", "TASK_DROPPED"}});
  }
  CHECK(f.db->value("SELECT COUNT(*) FROM job_execution_log WHERE complete_time > start_time") == "2");
}

TEST_CASE("old runs of elastic jobs are removed in steps, and those that are needed stay", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  add_runs(f, 10);
  // Run 4 is one whose takeover an item waits for.
  f.db->exec("UPDATE ej_item SET state = 2, run = 4 WHERE item = 1");
  f.db->exec("INSERT INTO ej_inbox (run, fence, outcome) VALUES (1, 1, 'x'), (9, 1, 'x')");
  const auto before = noon + 8 * 60s;
  auto done = require(f.ej().purge_runs(before, {}, 3));
  CHECK(done.removed == 3);
  CHECK_FALSE(done.complete);
  CHECK(run_ids_on(read_history(f, {})) == std::vector<std::int64_t>{10, 9, 8, 7, 6, 5, 4});
  for (int steps = 0; !done.complete && steps < 9; ++steps)
    done = require(f.ej().purge_runs(before, done.next, 3));
  CHECK(done.complete);
  CHECK(run_ids_on(read_history(f, {})) == std::vector<std::int64_t>{10, 9, 8, 5, 4});
  CHECK(require(f.ej().purge_runs(noon, {}, 100)).removed == 0);
  CHECK(f.db->value("SELECT SUM(run) FROM ej_inbox") == "9");
}

TEST_CASE("old fires and plans of elastic jobs are removed in steps", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto other = f.add("counts").id;
  const auto minute = [](int i) { return std::to_string(core::to_ms(noon + i * 60s)); };
  const auto add_fire = [&](elastic::elastic_job_id job, int i, int plan, int state) {
    f.db->exec("INSERT INTO ej_fire (job, fire_ms, source, request, plan_version, config_version, state, expected, dropped)"
               " VALUES ("
               + std::to_string(core::number(job)) + ", " + minute(i) + ", 0, 0, " + std::to_string(plan) + ", 1, "
               + std::to_string(state) + ", 0, 0)");
  };
  for (int i = 1; i <= 8; ++i) {
    add_fire(f.job, i, (i + 3) / 4, i == 2 ? 1 : 0);
    add_fire(other, i, 1, 6);
  }
  for (int plan = 1; plan <= 3; ++plan)
    f.db->exec("INSERT INTO ej_plan (job, version, members, total, assignment, at_ms) VALUES ("
               + std::to_string(core::number(f.job)) + ", " + std::to_string(plan) + ", 'm', 3, '', " + minute(plan) + ")");
  f.db->exec("UPDATE ej_schedule SET last_ms = " + minute(3) + " WHERE job = " + std::to_string(core::number(other)));
  const auto purge = [&](core::time_point before) {
    elastic::purge_done done;
    for (int steps = 0; !done.complete; ++steps) {
      REQUIRE(steps < 40);
      done = require(f.ej().purge_fires(before, done.next, 2));
    }
  };
  const auto fires_of = [&](elastic::elastic_job_id job) {
    return f.db->value("SELECT COUNT(*) FROM ej_fire WHERE job = " + std::to_string(core::number(job)));
  };
  purge(noon + 7 * 60s);
  CHECK(fires_of(f.job) == "3"); // 2 has an open barrier, 7 and 8 are younger
  CHECK(fires_of(other) == "6"); // 3 was the last one
  CHECK(f.db->value("SELECT MIN(version) FROM ej_plan") == "1");
  f.db->exec("UPDATE ej_fire SET state = 5 WHERE state = 1");
  purge(noon + 7 * 60s);
  CHECK(fires_of(f.job) == "2");
  CHECK(f.db->value("SELECT MIN(version) FROM ej_plan") == "2");
  purge(noon + 60 * 60s);
  CHECK(fires_of(f.job) == "0");
  CHECK(f.db->value("SELECT MIN(version) FROM ej_plan") == "3");
}
