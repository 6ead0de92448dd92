// Maintenance of the log: accepted runs, counts by day, the purge, unattended claims.

#include <array>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

constexpr core::log_id everything{1'000'000};

struct maintenance_fixture : firing_fixture {
  explicit maintenance_fixture(const test_backend& backend) : firing_fixture{backend} {}

  storage::maintenance_store& maintenance() { return store->maintenance(); }

  /// Adds a row of the log as any program may have written it. `when` in the database's zone.
  void add_row(std::int64_t id, const std::string& when, int trigger_code, int handle_code,
               const std::string& address = "http://10.0.0.1:9999/") {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, trigger_time, trigger_code, handle_code) VALUES ("
             + std::to_string(id) + ", 1, 7, '" + address + "', " + (when.empty() ? "NULL" : "'" + when + "'") + ", "
             + std::to_string(trigger_code) + ", " + std::to_string(handle_code) + ")");
  }

  std::vector<std::int64_t> ids() {
    std::vector<std::int64_t> found;
    for (const auto& row : db->query("SELECT id FROM xxl_job_log ORDER BY id"))
      found.push_back(std::stoll(row.at(0)));
    return found;
  }

  /// Purges step by step until the end of the range.
  std::size_t purge(core::log_range range, core::time_point before, std::size_t limit) {
    std::size_t removed = 0;
    while (range.after < range.through) {
      auto step = require(maintenance().purge({range, before, limit}));
      REQUIRE(step.through > range.after);
      REQUIRE(step.removed <= limit);
      removed += step.removed;
      range.after = step.through;
    }
    return removed;
  }
};

std::vector<std::int64_t> ids_of(const core::open_page& page) {
  std::vector<std::int64_t> ids;
  for (const auto& run : page.runs)
    ids.push_back(core::number(run.id));
  return ids;
}

} // namespace

TEST_CASE("the span of an empty and a non-empty log", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(require(f.maintenance().span()) == core::log_span{});
  CHECK(require(f.maintenance().last_before(noon)) == core::log_id{0});
  f.add_row(17, "2024-03-01 12:00:00", 200, 200);
  f.add_row(40'000, "2024-03-01 12:00:00", 200, 200);
  CHECK(require(f.maintenance().span()) == core::log_span{core::log_id{17}, core::log_id{40'000}});
}

TEST_CASE("the last run before a time is found among gaps and rows without a time", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_row(3, "2024-03-01 11:00:00", 200, 200);
  f.add_row(4, "", 200, 200);
  f.add_row(900, "2024-03-01 11:30:00", 200, 200);
  f.add_row(901, "2024-03-01 12:00:00", 200, 200);
  f.add_row(70'000, "2024-03-01 12:30:00", 200, 200);
  CHECK(require(f.maintenance().last_before(noon - 1h)) == core::log_id{0});
  CHECK(require(f.maintenance().last_before(noon - 1h + 1s)) == core::log_id{3});
  CHECK(require(f.maintenance().last_before(noon)) == core::log_id{900});
  CHECK(require(f.maintenance().last_before(noon + 1s)) == core::log_id{901});
  CHECK(require(f.maintenance().last_before(noon + 24h)) == core::log_id{70'000});
}

TEST_CASE("accepted runs without a result are listed by executor, page by page", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_row(1, "2024-03-01 12:00:00", 200, 0, "http://a/");
  f.add_row(2, "2024-03-01 12:00:00", 0, 0, "http://a/");
  f.add_row(3, "2024-03-01 12:00:00", 500, 0, "http://a/");
  f.add_row(4, "2024-03-01 12:00:00", 200, 500, "http://a/");
  f.add_row(5, "2024-03-01 12:00:00", 200, 0, "http://b/");
  f.add_row(6, "", 200, 0, "http://a/");
  f.add_row(50'000, "2024-03-01 12:00:01", 200, 0, "http://a/");
  auto page = require(f.maintenance().open_runs({{core::log_id{0}, everything}, {}, 2}));
  CHECK(ids_of(page) == std::vector<std::int64_t>{1, 5});
  CHECK(page.through == core::log_id{5});
  CHECK(page.runs[0].fire_at == noon);
  CHECK(page.runs[0].job == core::job_id{7});
  page = require(f.maintenance().open_runs({{core::log_id{0}, everything}, {"http://a/"}, 100}));
  CHECK(ids_of(page) == std::vector<std::int64_t>{1, 6});
  CHECK(page.runs[1].fire_at == core::time_point{});
  // Each call reads a bounded stretch, regardless of its contents.
  CHECK(page.through == core::log_id{20'000});
  page = require(f.maintenance().open_runs({{core::log_id{40'000}, core::log_id{50'000}}, {"http://a/", "http://c/"}, 100}));
  CHECK(ids_of(page) == std::vector<std::int64_t>{50'000});
  CHECK(page.through == core::log_id{50'000});
}

TEST_CASE("a stretch of the log is counted by day", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_row(1, "2024-02-28 23:59:59", 200, 200);
  f.add_row(2, "2024-02-29 00:00:00", 200, 200);
  f.add_row(3, "2024-02-29 23:59:59", 200, 0);
  f.add_row(4, "2024-03-01 00:00:00", 0, 0);
  f.add_row(5, "2024-03-01 08:00:00", 0, 200);
  f.add_row(6, "2024-03-01 08:00:00", 500, 0);
  f.add_row(7, "2024-03-01 08:00:00", 200, 502);
  f.add_row(8, "2024-03-02 00:00:01", 500, 200);
  f.add_row(9, "2024-03-03 00:00:00", 200, 200);
  f.add_row(10, "", 200, 200);
  const auto midnight = noon - 12h;
  const core::day_bounds days{midnight - 24h, midnight, midnight + 24h, midnight + 48h};
  auto counts = require(f.maintenance().count_runs({core::log_id{0}, core::log_id{10}}, days));
  CHECK(counts[0] == core::run_counts{2, 1, 1});
  CHECK(counts[1] == core::run_counts{4, 1, 1});
  CHECK(counts[1].failed() == 2);
  CHECK(counts[2] == core::run_counts{1, 0, 1});
  CHECK(require(f.maintenance().count_runs({core::log_id{5}, core::log_id{6}}, days))[1] == core::run_counts{1, 0, 0});
  CHECK(error_of(f.maintenance().count_runs({core::log_id{0}, everything}, days)) == core::errc::invalid_argument);
}

TEST_CASE("a day of the report is one row, replaced when it is written again", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto midnight = noon - 12h;
  std::vector<core::day_report> days{{midnight - 24h, {10, 1, 8}}, {midnight, {0, 0, 0}}};
  require(f.maintenance().write_report(days, noon));
  days[1].counts = {7, 2, 3};
  require(f.maintenance().write_report(days, noon + 1min));
  CHECK(f.db->query("SELECT trigger_day, running_count, suc_count, fail_count FROM xxl_job_log_report ORDER BY trigger_day")
        == table{{"2024-02-29 00:00:00", "1", "8", "1"}, {"2024-03-01 00:00:00", "2", "3", "2"}});
  CHECK(f.db->value("SELECT update_time FROM xxl_job_log_report WHERE trigger_day = '2024-03-01 00:00:00'")
        == "2024-03-01 12:01:00");
}

TEST_CASE("a report table without the time of its last change takes reports, too", "[storage]") {
  if (mysql_backend().unavailable_reason())
    return;
  maintenance_fixture f{mysql_backend()};
  f.db->exec("ALTER TABLE xxl_job_log_report DROP COLUMN update_time");
  f.store = f.db->open();
  require(f.maintenance().span());
  std::vector<core::day_report> days{{noon - 12h, {5, 1, 3}}};
  const auto connection = f.db->value("SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()");
  require(f.maintenance().write_report(days, noon));
  days[0].counts = {6, 0, 5};
  require(f.maintenance().write_report(days, noon));
  CHECK(f.db->query("SELECT running_count, suc_count, fail_count FROM xxl_job_log_report") == table{{"0", "5", "1"}});
  CHECK(f.db->value("SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()") == connection);
}

TEST_CASE("the purge removes old rows in steps, and keeps those with a reason to stay", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  auto held = f.claimed(1);
  auto base = core::number(held.id);
  f.db->exec("UPDATE xxl_job_log SET trigger_time = '2024-01-01 00:00:00'");
  for (int i = 1; i <= 10; ++i)
    f.add_row(base + i, "2024-01-01 00:00:00", 200, 200);
  f.add_row(base + 11, "", 200, 200);
  f.add_row(base + 12, "2024-02-29 00:00:00", 200, 200);
  f.add_row(base + 13, "2024-02-29 00:00:01", 200, 200);
  f.add_row(base + 14, "2024-01-01 00:00:00", 200, 0);
  f.add_row(base + 15, "2024-01-01 00:00:00", 200, 200);
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (" + std::to_string(base + 3) + ", 7, 0), ("
             + std::to_string(base + 13) + ", 7, 0)");
  f.db->exec("INSERT INTO rm_asked_run (log_id, intent) VALUES (" + std::to_string(base + 3) + ", 77), ("
             + std::to_string(base + 13) + ", 78)");
  const auto before = noon - 36h; // 2024-02-29 00:00:00
  CHECK(f.purge({core::log_id{0}, core::log_id{base + 14}}, before, 4) == 12);
  CHECK(f.ids() == std::vector<std::int64_t>{base, base + 11, base + 13, base + 15});
  CHECK(f.db->query("SELECT log_id FROM rm_failed_run") == table{{std::to_string(base + 13)}});
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run") == table{{std::to_string(base + 13)}});
  // Once the claim is closed its run is removed, too.
  f.record({f.answer(held, 200)}, {f.callback(held, 200)});
  f.db->exec("DELETE FROM rm_claim");
  CHECK(f.purge({core::log_id{0}, core::log_id{base + 14}}, before, 1) == 1);
  CHECK(f.ids() == std::vector<std::int64_t>{base + 11, base + 13, base + 15});
}

TEST_CASE("unresolved runs of a large claim are returned in order", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  for (std::int32_t id = 1; id <= 7; ++id)
    f.plan(batch, f.add_job(id));
  const auto runs = require(f.firings().claim(batch, noon)).runs;
  REQUIRE(runs.size() == 7);
  f.record({f.answer(runs[0], 200), f.answer(runs[3], 500), f.answer(runs[6], 200)}, {});
  const auto strays = require(f.maintenance().stray_runs(f.me, std::vector<std::int64_t>{batch.sequence}));
  REQUIRE(strays.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& run = runs[std::array<std::size_t, 4>{1, 2, 4, 5}[i]];
    CHECK(strays[i].run.id == run.id);
    CHECK(strays[i].run.job == run.plan.spec->id);
    CHECK(strays[i].run.address == run.plan.address);
  }
}

TEST_CASE("an open claim returns its unresolved runs; one without any is deleted", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  auto open = f.claimed(1, 3);
  auto done = f.claimed(2);
  f.record({f.answer(done, 200)}, {});
  std::vector<std::int64_t> claims{open.claim, done.claim, 4711};
  auto strays = require(f.maintenance().stray_runs(f.me, claims));
  REQUIRE(strays.size() == 1);
  CHECK(strays[0].run.id == open.id);
  CHECK(strays[0].run.claim == open.claim);
  CHECK(strays[0].run.job == core::job_id{1});
  CHECK(strays[0].run.retry_left == 3);
  CHECK(strays[0].run.fire_at == open.plan.fire_at);
  CHECK(strays[0].run.address == open.plan.address);
  CHECK_FALSE(strays[0].maybe_sent);
  CHECK(require(f.firings().open_claims(f.me)) == std::vector<std::int64_t>{open.claim});
  auto next = require(f.store->cluster().enter(f.me.node, "x"));
  CHECK(error_of(f.maintenance().stray_runs(f.me, claims)) == core::errc::fenced);
  auto adopted = require(f.firings().adopt(next, 9, 10));
  REQUIRE(adopted.size() == 1);
  CHECK(require(f.maintenance().stray_runs(next, std::vector<std::int64_t>{9})).at(0).maybe_sent);
}

TEST_CASE("only old rows of the audit log are removed, the oldest first", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("DELETE FROM rm_audit");
  CHECK(require(f.maintenance().purge_audits(core::from_ms(5000), 10)) == 0);
  for (int at : {3000, 1000, 2000, 4999, 5000, 6000})
    f.db->exec("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes) VALUES"
               " (" + std::to_string(at) + ", 1, 'u', '', 'update', 'job', 7, 'n', '')");
  CHECK(require(f.maintenance().purge_audits(core::from_ms(5000), 3)) == 3);
  CHECK(f.db->value("SELECT MIN(at_ms) FROM rm_audit") == "4999");
  CHECK(require(f.maintenance().purge_audits(core::from_ms(5000), 3)) == 1);
  CHECK(require(f.maintenance().purge_audits(core::from_ms(5000), 3)) == 0);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit") == "2");
  CHECK(f.db->value("SELECT MIN(at_ms) FROM rm_audit") == "5000");
}

TEST_CASE("only rows without an owner are removed", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  auto held = f.claimed(1);
  const auto base = core::number(held.id);
  CHECK(require(f.maintenance().forget_orphans(10)) == 0);
  const auto id = [&](int behind) { return std::to_string(base + behind); };
  f.add_row(base + 1, "2024-03-01 00:00:00", 500, 0);
  for (const char* name : {"rm_failed_run (log_id, job, fire_ms)", "rm_asked_run (log_id, intent, addresses)"})
    for (int behind = -3; behind <= 1; ++behind)
      f.db->exec("INSERT INTO " + std::string{name} + " VALUES (" + id(behind) + ", 1, 0)");
  for (const char* job : {"1", "98", "99"}) {
    f.db->exec("INSERT INTO rm_alarm_open (job, log_id) VALUES (" + std::string{job} + ", 1)");
    f.db->exec("INSERT INTO rm_mirror (job, revision, status, schedule_type, schedule_conf, update_time) VALUES ("
               + std::string{job} + ", 1, 0, '', '', '')");
    f.db->exec("DELETE FROM rm_job_ext WHERE job = " + std::string{job});
    f.db->exec("INSERT INTO rm_job_ext (job, jitter_ms) VALUES (" + std::string{job} + ", 5)");
  }
  // A job with a known schedule is left to the mirror, which reports its removal.
  f.db->exec("INSERT INTO rm_schedule (job, revision) VALUES (98, 1)");
  f.db->exec("DELETE FROM rm_group_ext");
  const auto group = f.db->value("SELECT MIN(id) FROM xxl_job_group");
  if (group != "NULL")
    f.db->exec("INSERT INTO rm_group_ext (group_id, source) VALUES (" + group + ", 'x')");
  f.db->exec("INSERT INTO rm_group_ext (group_id, source) VALUES (4711, 'x')");
  f.db->exec("INSERT INTO rm_group_token (group_id, token, previous, previous_until_ms) VALUES (4711, 'x', '', 0)");
  f.db->exec("INSERT INTO xxl_job_user (id, username, password, role) VALUES (4712, 'there', 'x', 0)");
  for (const char* pair : {"4711, 4711", "4712, 4711", "4711, 4712"})
    f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (" + std::string{pair} + ", 'editor')");
  f.db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (4712, 'there', 'x', 0)");
  f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (4712, 4712, 'editor')");
  for (const char* user : {"4711", "4712"})
    f.db->exec("INSERT INTO rm_session (digest, user_id, password_mark, opened_ms, expires_ms, lifetime_ms, remote) VALUES ('d"
               + std::string{user} + "', " + user + ", '', 0, 0, 0, '')");
  std::size_t removed = 0;
  for (std::size_t some = 1; some != 0; removed += some) {
    some = require(f.maintenance().forget_orphans(2));
    CHECK(some <= 2 * 13);
  }
  CHECK(removed >= 3 + 3 + 2 + 1 + 2 + 1 + 1 + 2 + 1);
  CHECK(f.db->query("SELECT user_id, group_id FROM rm_group_right") == table{{"4712", "4712"}});
  CHECK(f.db->query("SELECT user_id FROM rm_session") == table{{"4712"}});
  CHECK(f.db->query("SELECT log_id FROM rm_failed_run ORDER BY log_id") == table{{id(0)}, {id(1)}});
  // The other one can have no retry any more.
  CHECK(f.db->query("SELECT log_id, intent, addresses FROM rm_asked_run ORDER BY log_id")
        == table{{id(0), "1", "0"}, {id(1), "0", "NULL"}});
  CHECK(f.db->query("SELECT job FROM rm_alarm_open") == table{{"1"}});
  CHECK(f.db->query("SELECT job FROM rm_mirror ORDER BY job") == table{{"1"}, {"98"}});
  CHECK(f.db->query("SELECT job FROM rm_job_ext") == table{{"1"}});
  CHECK(f.db->query("SELECT group_id FROM rm_group_ext WHERE group_id = 4711").empty());
}

TEST_CASE("a manual run is remembered while its result may be requested", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(1);
  const auto intent = require(f.store->jobs().trigger({core::job_id{1}, core::trigger_kind::manual, {}, {}, -1}, noon)).id;
  const auto key = std::to_string(core::number(intent));
  f.add_row(1, "2024-01-01 00:00:00", 200, 200);
  f.db->exec("INSERT INTO rm_asked_run (log_id, intent) VALUES (1, " + key + ")");
  CHECK(require(f.maintenance().forget_orphans(10)) == 0);
  f.db->exec("DELETE FROM rm_intent");
  CHECK(require(f.maintenance().forget_orphans(10)) == 1);
  CHECK(f.db->query("SELECT log_id, intent FROM rm_asked_run") == table{{"1", "0"}});
  f.db->exec("DELETE FROM xxl_job_log");
  CHECK(require(f.maintenance().forget_orphans(10)) == 1);
  CHECK(f.db->query("SELECT log_id FROM rm_asked_run").empty());
}

TEST_CASE("ended nodes are forgotten, and none of their incarnation numbers is reused", "[storage]") {
  maintenance_fixture f{GENERATE(from_range(backends_under_test()))};
  auto& cluster = f.store->cluster();
  const auto nodes = [&] { return f.db->query("SELECT id FROM rm_node ORDER BY id"); };
  auto gone = require(cluster.enter("gone", "a"));
  for (int i = 0; i < 4; ++i)
    gone = require(cluster.enter("gone", "a"));
  const auto works = require(cluster.enter("works", "a"));
  require(cluster.leave(gone));
  const auto holds = require(cluster.enter("holds", "a"));
  f.db->exec("INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES ('holds', 1, 1, 0, 1, '')");
  require(cluster.leave(holds));
  CHECK(require(f.maintenance().forget_orphans(10)) == 1);
  CHECK(nodes() == table{{"holds"}, {f.me.node}, {"works"}});
  CHECK(require(f.maintenance().forget_orphans(10)) == 0);
  // The old incarnation of the name has ended, for every process that still has it.
  CHECK(error_of(cluster.beat(gone, 9)) == core::errc::fenced);
  const auto again = require(cluster.enter("gone", "b"));
  CHECK(again.incarnation > gone.incarnation);
  CHECK(error_of(cluster.beat(gone, 10)) == core::errc::fenced);
  require(cluster.beat(again, 1));
  require(cluster.beat(works, 1));
  CHECK(require(cluster.enter("fresh", "b")).incarnation > gone.incarnation);
}
