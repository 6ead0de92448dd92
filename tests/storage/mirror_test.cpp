// Synchronisation of XXL's trigger columns, and edits by other programs with SQL.

#include "core/rules/foreign_edits.hpp"
#include "tests/storage/reservation_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

class mirror_fixture : public deploy_fixture {
public:
  using deploy_fixture::deploy_fixture;

  storage::mirror_step sync(bool adopt = true, core::time_point now = noon) {
    return require(store->mirror().sync(core::job_id{0}, 100, adopt, now));
  }

  /// Returns `7: stopped; …` of one check.
  std::string adopted(core::time_point now = noon) {
    std::string out;
    for (const auto& one : sync(true, now).adopted)
      out += (out.empty() ? "" : "; ") + std::to_string(core::number(one.job)) + ": " + one.what;
    return out;
  }

  std::string next_ms(int id) { return db->value("SELECT next_ms FROM rm_schedule WHERE job = " + std::to_string(id)); }
  std::int64_t revision() { return require(firings().last_revision()); }
};

} // namespace

TEST_CASE("next and last times are written to XXL's columns", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  auto batch = f.batch();
  f.plan(batch, f.add_job(7));
  f.add_job(8, core::time_point{});
  CHECK(f.adopted().empty());
  require(f.firings().claim(batch, noon));
  CHECK(f.sync(false).refreshed == 1);
  CHECK(f.db->query("SELECT id, trigger_status, trigger_next_time, trigger_last_time FROM xxl_job_info ORDER BY id")
        == table{{"7", "1", ms(noon + 60s), ms(noon)}, {"8", "0", "0", "0"}});
  CHECK(f.sync(false).refreshed == 0);
  CHECK(f.adopted().empty());
  CHECK(f.revision() == 0);
}

TEST_CASE("a round passes all jobs, step by step", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int id : {1, 2, 5, 9, 10})
    f.add_job(id);
  std::size_t refreshed = 0;
  core::job_id after{0};
  for (const bool more : {true, true, false}) {
    const auto step = require(f.store->mirror().sync(after, 2, false, noon));
    CHECK(step.more == more);
    refreshed += step.refreshed;
    after = step.last;
  }
  CHECK(after == core::job_id{10});
  CHECK(refreshed == 5);
}

TEST_CASE("a change by another program is an edit from the next check on", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add_job(7);
  CHECK(f.adopted().empty());
  const auto seen = f.revision();
  SECTION("stopped") {
    f.db->exec("UPDATE xxl_job_info SET trigger_status = 0");
    CHECK(f.adopted() == "7: stopped");
    CHECK(f.next_ms(7) == "0");
  }
  SECTION("stopped by an unknown status") {
    f.db->exec("UPDATE xxl_job_info SET trigger_status = 7");
    CHECK(f.adopted() == "7: stopped");
    CHECK(f.next_ms(7) == "0");
  }
  SECTION("another schedule") {
    f.db->exec("UPDATE rm_schedule SET last_ms = " + ms(noon + 3min));
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0/5 * * * ?'");
    CHECK(f.adopted() == "7: schedule \"CRON 0 * * * * ?\" -> \"CRON 0 0/5 * * * ?\"");
    CHECK(f.next_ms(7) == ms(noon + 5min));
    CHECK(f.db->value("SELECT trigger_next_time FROM xxl_job_info") == ms(noon + 5min));
  }
  SECTION("a schedule that never fires again") {
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0 0 1 1 ? 2020'");
    CHECK(f.adopted().starts_with("7: schedule "));
    CHECK(f.next_ms(7) == "0");
    CHECK(f.db->value("SELECT trigger_status FROM xxl_job_info") == "0");
  }
  SECTION("an invalid schedule") {
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = NULL");
    CHECK(f.adopted().starts_with("7: schedule "));
    CHECK(f.next_ms(7) == ms(noon));
  }
  SECTION("something else") {
    f.db->exec("UPDATE xxl_job_info SET executor_param = 'y', update_time = '2024-03-01 11:00:00'");
    CHECK(f.adopted() == "7: changed");
    CHECK(f.next_ms(7) == ms(noon));
  }
  const auto edits = require(f.firings().edits_since(seen, 10));
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].revision == f.revision());
  // Only once.
  CHECK(f.adopted().empty());
  CHECK(f.revision() == edits[0].revision);
}

TEST_CASE("a foreign edit of a schedule removes the instants and misfires that were reserved for it", "[storage]") {
  mirror_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_job(7);
  f.add_job(8);
  CHECK(f.adopted().empty());
  // As a takeover leaves them: 0 waits, 1 was taken.
  for (const char* job : {"7", "8"})
    for (const char* kind : {"cron", "misfire", "retry", "child", "manual", "api"})
      for (const char* state : {"0", "1"})
        f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, state, created_ms)"
                   " VALUES ('" + std::string{kind} + "', " + job + ", " + ms(noon) + " + " + state + ", 0, 0, 0, 0, " + state
                   + ", " + ms(noon) + ")");
  const auto waiting = [&](const std::string& job) {
    return f.db->query("SELECT kind FROM rm_intent WHERE state = 0 AND job = " + job + " ORDER BY kind");
  };
  const table all{{"api"}, {"child"}, {"cron"}, {"manual"}, {"misfire"}, {"retry"}};
  const table requested{{"api"}, {"child"}, {"manual"}, {"retry"}};
  SECTION("another schedule") {
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0/5 * * * ?' WHERE id = 7");
    CHECK(f.adopted() == "7: schedule \"CRON 0 * * * * ?\" -> \"CRON 0 0/5 * * * ?\"");
    CHECK(waiting("7") == requested);
  }
  SECTION("a stop") {
    f.db->exec("UPDATE xxl_job_info SET trigger_status = 0 WHERE id = 7");
    CHECK(f.adopted() == "7: stopped");
    CHECK(waiting("7") == requested);
  }
  SECTION("an edit that keeps the schedule") {
    f.db->exec("UPDATE xxl_job_info SET executor_param = 'y', update_time = '2024-03-01 11:00:00' WHERE id = 7");
    CHECK(f.adopted() == "7: changed");
    CHECK(waiting("7") == all);
  }
  CHECK(waiting("8") == all);
  CHECK(f.rows("rm_intent", "state = 1") == "12"); // their keys still refuse the instants
}

TEST_CASE("a job that runs without a next time is a misfire", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  const char* next = GENERATE("0", "-5", "9000000000000000000");
  f.add_job(7, core::time_point{}, {{"trigger_status", "1"}, {"trigger_next_time", next}});
  f.db->exec(std::string{"UPDATE rm_schedule SET next_ms = "} + next);
  CHECK_FALSE(require(f.firings().read_jobs(std::vector{core::job_id{7}})).at(0).next);
  CHECK(f.adopted() == "7: started");
  // Either the planner computes the next one, or the row has it.
  CHECK(f.next_ms(7) == (std::string{next}.size() > 5 ? ms(noon + 60s) : "1"));
  CHECK(f.adopted().empty());
}

TEST_CASE("rows that other programs insert and delete are adopted and forgotten", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, schedule_conf, glue_type, trigger_status,"
             " trigger_next_time) VALUES (3, 1, 'x', 'CRON', '0 * * * * ?', 'BEAN', 1, " + ms(noon + 60s)
             + "), (4, 1, 'x', 'CRON', '0 * * * * ?', 'BEAN', 1, 0), (5, 1, 'x', 'NONE', NULL, 'BEAN', 0, 0)");
  CHECK(f.adopted() == "3: new; 4: new; 5: new");
  CHECK(f.db->query("SELECT job, next_ms FROM rm_schedule ORDER BY job") == table{{"3", ms(noon + 60s)}, {"4", "1"}, {"5", "0"}});
  f.db->exec("DELETE FROM xxl_job_info WHERE id = 3");
  CHECK(f.adopted() == "3: deleted");
  CHECK(f.db->query("SELECT job FROM rm_schedule ORDER BY job") == table{{"4"}, {"5"}});
  CHECK(f.db->query("SELECT job FROM rm_mirror ORDER BY job") == table{{"4"}, {"5"}});
}

TEST_CASE("our own edits and stops are not foreign ones", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  CHECK(f.apply(set) == "+++");
  CHECK(f.adopted().empty());
  set.jobs[0].schedule_conf = "0 0 2 * * ?";
  set.jobs[1].enabled = false;
  CHECK(f.apply(set) == "=~~");
  const auto next = f.next_of("settle");
  CHECK(f.adopted().empty());
  CHECK(f.next_of("settle") == next);
  CHECK(f.adopted().empty());
  // The last claim of a schedule stops its job.
  auto batch = f.batch();
  f.plan(batch, f.add_job(700));
  CHECK(f.adopted().empty());
  batch.moves[0].next = std::nullopt;
  batch.seen_revision = f.revision();
  REQUIRE(require(f.firings().claim(batch, noon)).runs.size() == 1);
  CHECK(f.adopted().empty());
  CHECK(f.db->value("SELECT trigger_status FROM xxl_job_info WHERE id = 700") == "0");
}

TEST_CASE("a removed job leaves no rows of the mirror and of alarms", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  CHECK(f.apply(set) == "+++");
  CHECK(f.adopted().empty());
  const auto id = f.id_of("report");
  f.db->exec("INSERT INTO rm_alarm_open (job, log_id) SELECT id, 5 FROM xxl_job_info");
  REQUIRE(f.rows("rm_mirror") + f.rows("rm_alarm_open") == "22");
  SECTION("manually") { require(f.store->jobs().remove(core::job_id{std::stoi(id)}, true, noon)); }
  SECTION("by a deploy") {
    set.jobs.pop_back();
    f.apply(set, true);
  }
  CHECK(f.rows("rm_mirror") + f.rows("rm_alarm_open") == "11");
  CHECK(f.rows("rm_mirror", "job = " + id) == "0");
  CHECK(f.rows("rm_alarm_open", "job = " + id) == "0");
}

TEST_CASE("a foreign edit is planned with the job's declared options", "[storage]") {
  mirror_fixture f{GENERATE(from_range(backends_under_test()))};
  auto set = pay_set();
  set.jobs[0].schedule_conf = "0 0 1 * * ?";
  SECTION("a separate time zone") {
    set.jobs[0].timing.time_zone = "Europe/Berlin";
    f.apply(set);
    CHECK(f.adopted().empty());
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0 6 * * ?' WHERE id = " + f.id_of("settle"));
    CHECK_FALSE(f.adopted().empty());
    CHECK(f.next_of("settle") == ms(noon + 1h)); // noon in Shanghai is five in Berlin
  }
  SECTION("a beginning") {
    set.jobs[0].timing.start_at = noon + 10 * 24h;
    f.apply(set);
    CHECK(f.adopted().empty());
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0 13 * * ?' WHERE id = " + f.id_of("settle"));
    CHECK_FALSE(f.adopted().empty());
    CHECK(f.next_of("settle") == ms(noon + 10 * 24h + 1h));
  }
  SECTION("an end") {
    set.jobs[0].timing.end_at = noon + 20h;
    f.apply(set);
    CHECK(f.adopted().empty());
    f.db->exec("UPDATE xxl_job_info SET schedule_conf = '0 0 0 5 * ?' WHERE id = " + f.id_of("settle"));
    CHECK_FALSE(f.adopted().empty());
    CHECK(f.next_of("settle") == "0");
    CHECK(f.of_job("trigger_status", "settle") == "0");
  }
}

TEST_CASE("our own edits are checked again in sets", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  mirror_fixture f{backend};
  auto set = pay_set();
  set.jobs.clear();
  for (int i = 0; i < 50; ++i)
    set.jobs.push_back(declared_job_of("pay", "job" + std::to_string(i)));
  f.apply(set);
  CHECK(f.adopted().empty());
  for (auto& job : set.jobs)
    job.params = "new";
  f.apply(set);
  const auto edited = f.revision();
  CHECK(f.adopted().empty());
  // The planners read all of them again.
  CHECK(require(f.firings().edits_since(edited, 100)).size() == 50);
  CHECK(f.rows("rm_mirror m JOIN rm_schedule s ON s.job = m.job", "s.revision = m.revision") == "50");
  if (backend.name.starts_with("mysql"))
    CHECK(f.revision() == edited + 3);
  const auto after = f.revision();
  CHECK(f.adopted().empty());
  CHECK(f.revision() == after);
}

TEST_CASE("a step adopts a bounded number and continues after them", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  mirror_fixture f{mysql_backend()};
  auto set = pay_set();
  set.jobs.clear();
  for (int i = 0; i < 130; ++i)
    set.jobs.push_back(declared_job_of("pay", "job" + std::to_string(i)));
  f.apply(set);
  require(f.store->mirror().sync(core::job_id{0}, 500, true, noon));
  f.db->exec("UPDATE xxl_job_info SET executor_param = 'y', update_time = '2024-03-01 11:00:00'");
  const auto first = require(f.store->mirror().sync(core::job_id{0}, 500, true, noon));
  CHECK(first.adopted.size() == 100);
  CHECK(first.more);
  const auto rest = require(f.store->mirror().sync(first.last, 500, true, noon));
  CHECK(rest.adopted.size() == 30);
  CHECK_FALSE(rest.more);
  CHECK(require(f.store->mirror().sync(core::job_id{0}, 500, true, noon)).adopted.empty());
}
