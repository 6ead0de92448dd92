// T1s: instants taken under `schedule_lock` (firing protocol §8), the mode and its switches.

#include <atomic>
#include <map>
#include <thread>

#include "tests/storage/reservation_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::cluster_mode;
using list = std::vector<std::int64_t>;

TEST_CASE("an SQLite file has no reservations", "[storage]") {
  auto db = fresh_database(sqlite_backend());
  CHECK(db->open()->reservations() == nullptr);
}

TEST_CASE("all instants within the horizon are taken, and their schedules moved", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  f.add_shared(2, noon + 6s, "0/6 * * * * ?");
  f.add_shared(3, noon + 7s, "7 * * * * ?");
  f.add_shared(4, core::time_point{});
  auto got = f.reserve(noon);
  CHECK(instants(got.intents) == list{0, 2, 4, 6, 6});
  CHECK_FALSE(got.more);
  CHECK(got.stopped.empty());
  CHECK(f.schedule_of(1) == "1 6 8");
  CHECK(f.schedule_of(2) == "1 6 12");
  CHECK(f.schedule_of(3) == "1 - 7");
  CHECK(f.schedule_of(4) == "0 - -");
  // Nothing is due any more, and only intents were written.
  CHECK(f.reserve(noon + 1s).intents.size() == 1); // 3
  CHECK(f.rows("xxl_job_log") == "0");
  CHECK(f.rows("rm_intent", "state = 0 AND kind = 'cron' AND node = 'node-a'") == "6");
}

TEST_CASE("late, missed and ended schedules are reserved by their policies", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon - 4s, "*/2 * * * * ?");                                                   // late: every instant
  f.add_shared(2, noon - 60s, "0 * * * * ?", {{"misfire_strategy", "'FIRE_ONCE_NOW'"}});         // missed
  f.add_shared(3, noon - 60s, "0 * * * * ?");                                                    // missed, ignored
  f.add_shared(4, noon, "0 0 12 1 3 ? 2024");                                                    // the last one
  f.add_shared(5, noon, "not a cron");
  f.add_shared(6, noon, "x", {{"schedule_type", "'FIX_DELAY'"}});
  auto got = f.reserve(noon);
  CHECK(f.schedule_of(1) == "1 6 8");
  CHECK(f.schedule_of(2) == "1 0 60");
  CHECK(f.schedule_of(3) == "1 -60 60");
  CHECK(f.schedule_of(4) == "0 0 -");
  CHECK(f.schedule_of(5) == "0 - -");
  CHECK(f.schedule_of(6).starts_with("0 "));
  CHECK(got.dropped == 2);
  CHECK(got.merged == 1); // the misfire of the second replaces two instants
  REQUIRE(got.stopped.size() == 3);
  std::map<std::int64_t, std::string> reasons;
  for (const auto& one : got.stopped)
    reasons[core::number(one.job)] = one.reason;
  CHECK(reasons.at(4).empty());
  CHECK_FALSE(reasons.at(5).empty());
  CHECK(f.rows("rm_intent", "job = 1") == "6");
  CHECK(f.rows("rm_intent", "job = 2 AND kind = 'misfire'") == "1");
  CHECK(f.rows("rm_intent", "job = 3") == "0");
  CHECK(f.rows("rm_intent", "job = 4") == "1");
}

TEST_CASE("a bound takes the earliest first, and the rest at once", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  for (std::int32_t id = 1; id <= 50; ++id)
    f.add_shared(id, noon - 4s + std::chrono::milliseconds{50 - id}, "0 0 13 * * ?");
  std::size_t taken = 0;
  for (bool more = true; more;) {
    auto got = f.reserve(noon, 20);
    taken += got.intents.size();
    more = got.more;
    if (taken == 20)
      CHECK(f.rows("rm_intent", "job > 30") == "20"); // high ids do not starve
  }
  CHECK(taken == 50);
}

TEST_CASE("an instant that a console restored is not reserved again", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  auto first = f.reserve(noon - 5s); // 0
  REQUIRE(instants(first.intents) == list{0});
  REQUIRE(f.claim(first.intents).runs.size() == 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = " + ms(noon)); // a console that saves an old row
  auto again = f.reserve(noon - 3s);
  CHECK(instants(again.intents) == list{2});
  CHECK(again.doubles == 1);
  CHECK(f.schedule_of(1) == "1 2 4");
  // Kept for 10 s after its time, then forgotten.
  CHECK(require(f.reservations().forget(noon - 1ms, 100)) == 0);
  CHECK(require(f.reservations().forget(noon, 100)) == 1);
  CHECK(f.rows("rm_intent") == "1"); // the waiting one stays
}

TEST_CASE("an edit during a reservation wins", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  for (std::int32_t id = 1; id <= 40; ++id)
    f.add_shared(id, noon, "*/1 * * * * ?");
  std::atomic<bool> done{false};
  std::thread console{[&] { // stops and starts without the lock, as a Java admin's pages do
    for (int i = 0; !done; ++i) {
      const auto id = std::to_string(i % 40 + 1);
      f.db->exec("UPDATE xxl_job_info SET trigger_status = 0, trigger_next_time = 0, trigger_last_time = 0 WHERE id = " + id);
      f.db->exec("UPDATE xxl_job_info SET trigger_status = 1, trigger_next_time = " + ms(noon + 3600s) + " WHERE id = " + id);
    }
  }};
  std::size_t taken = 0;
  for (int round = 0; round < 60; ++round)
    taken += f.reserve(noon - 6s + std::chrono::milliseconds{round * 100}).intents.size();
  done = true;
  console.join();
  CHECK(taken == std::stoul(f.rows("rm_intent")));
  // A job that was stopped and started begins in an hour, whatever was written around it.
  CHECK(f.rows("xxl_job_info", "trigger_next_time BETWEEN " + ms(noon + 13s) + " AND " + ms(noon + 3599s)) == "0");
}

TEST_CASE("only a current node in shared mode may reserve", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  auto other = f.db->open();
  require(other->cluster().enter("node-a", "somewhere else"));
  CHECK(error_of(f.reservations().reserve(f.me, {.now = noon})) == core::errc::fenced);
  f.me = require(other->cluster().enter("node-a", "here"));
  CHECK(f.reserve(noon).intents.size() == 1);
  f.db->exec("UPDATE rm_mode SET mode = 'native'");
  CHECK(error_of(f.reservations().reserve(f.me, {.now = noon})) == core::errc::fenced);
  f.db->exec("UPDATE rm_mode SET mode = 'shared'");
  f.db->exec("DELETE FROM xxl_job_lock");
  auto refused = f.reservations().reserve(f.me, {.now = noon});
  CHECK(error_of(refused) == core::errc::unsupported);
  CHECK(refused.error().context.find("INSERT INTO xxl_job_lock") != std::string::npos);
}

TEST_CASE("a graceful stop returns the instants that it reserved", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  f.add_shared(2, noon, "0 0 12 1 3 ? 2024");
  f.add_shared(3, noon, "*/2 * * * * ?");
  f.add_shared(4, noon, "*/2 * * * * ?");
  auto got = f.reserve(noon - 2s);
  REQUIRE(got.intents.size() == 10);
  std::vector<core::intent> first;
  for (const auto& intent : got.intents)
    if (intent.job == core::job_id{1} && intent.fire_at == noon)
      first.push_back(intent);
  REQUIRE(f.claim(first).runs.size() == 1);
  f.db->exec("UPDATE xxl_job_info SET trigger_status = 0, trigger_next_time = 0, trigger_last_time = 0 WHERE id = 3");
  f.db->exec("UPDATE xxl_job_info SET schedule_conf = '7 * * * * ?', trigger_next_time = " + ms(noon + 7s) + " WHERE id = 4");
  f.add_shared(5, noon, "*/2 * * * * ?");
  REQUIRE(f.reserve(noon - 2s).intents.size() == 3);
  // A Java admin took 6: returning it would fire it twice.
  f.db->exec("UPDATE xxl_job_info SET trigger_last_time = trigger_next_time, trigger_next_time = " + ms(noon + 8s) +
             " WHERE id = 5");
  CHECK(require(f.reservations().put_back(f.me)) == 3);
  CHECK(f.schedule_of(1) == "1 4 2"); // 0 is claimed, 2 and 4 are not
  CHECK(f.schedule_of(2) == "1 0 0"); // its end is undone
  CHECK(f.schedule_of(3).starts_with("0 "));
  CHECK(f.schedule_of(4).ends_with(" 7"));
  CHECK(f.schedule_of(5) == "1 6 8");
  CHECK(f.rows("rm_intent", "state = 0 AND job IN (1, 2)") == "0");
  CHECK(f.rows("rm_intent", "state = 0 AND job = 5") == "3"); // still to be claimed, by any node
}

TEST_CASE("a graceful stop returns the instants of many jobs", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  constexpr int jobs = 700; // more than one statement handles
  for (int id = 1; id <= jobs; ++id)
    f.add_shared(id, noon + (id % 2) * 1s, id % 2 == 0 ? "*/2 * * * * ?" : "1/2 * * * * ?");
  while (f.reserve(noon, 500).more) {
  }
  REQUIRE(f.rows("rm_intent", "state = 0") == std::to_string(3 * jobs + jobs / 2));
  CHECK(require(f.reservations().put_back(f.me)) == 3 * jobs + jobs / 2);
  CHECK(f.rows("rm_intent") == "0");
  CHECK(f.rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time = " + ms(noon) + " + id % 2 * 1000")
        == std::to_string(jobs));
}

TEST_CASE("instants that waited too long are never sent", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  auto got = f.reserve(noon);
  REQUIRE(got.intents.size() == 1);
  const std::vector late{core::dropped_instant{got.intents[0].id, std::nullopt}};
  CHECK(require(f.reservations().drop(f.me, late)) == core::drop_outcome{1, 0});
  CHECK(require(f.reservations().drop(f.me, late)) == core::drop_outcome{}); // as by another node that knows it, too
  auto outcome = f.claim(got.intents);
  CHECK(outcome.runs.empty());
  CHECK(outcome.lost_intents.size() == 1);
  CHECK(f.rows("rm_intent", "state = 1") == "1"); // its key still refuses the instant
}

TEST_CASE("an instant that another one covers is dropped while that one waits", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "* * * * * ?");
  const auto got = f.reserve(noon).intents;
  REQUIRE(got.size() == 7);
  const auto cover = [&](std::size_t one, std::size_t by) { return core::dropped_instant{got[one].id, got[by].id}; };
  // One node keeps the newest that it knows, another one the oldest: the instant that the first keeps must not be lost by the
  // second.
  CHECK(require(f.reservations().drop(f.me, std::vector{cover(0, 2), cover(1, 2)})) == core::drop_outcome{0, 2});
  CHECK(require(f.reservations().drop(f.me, std::vector{cover(2, 0), cover(3, 0)})) == core::drop_outcome{});
  CHECK(f.rows("rm_intent", "state = 1") == "2");
  REQUIRE(f.claim({got[2]}).runs.size() == 1);
  // It runs, and covers nothing any more.
  CHECK(require(f.reservations().drop(f.me, std::vector{cover(3, 2)})) == core::drop_outcome{});
  CHECK(f.claim({got[3]}).runs.size() == 1);
  CHECK(require(f.reservations().drop(f.me, std::vector{cover(4, 5), cover(5, 6)})) == core::drop_outcome{0, 2});
  CHECK(f.rows("rm_intent", "state = 0") == "1");
}

TEST_CASE("a job whose reserved instants pile up gets no more of them", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "* * * * * ?");
  f.add_shared(2, noon, "* * * * * ?");
  for (int id = 3; id <= 600; ++id)
    f.add_shared(id, noon + 1min);
  auto got = f.reserve(noon).intents;
  REQUIRE(got.size() == 14);
  const auto of_job = [](const std::vector<core::intent>& all, std::int32_t job) {
    std::vector<core::intent> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [job](const core::intent& one) { return one.job == core::job_id{job}; });
    return out;
  };
  const auto left = f.schedule_of(1);
  f.claim(of_job(got, 2)); // the executor of the other one does not answer
  for (int second = 1; second <= 50; ++second) {
    got = f.reserve(noon + second * 1s).intents;
    CHECK(of_job(got, 1).empty());
    CHECK(of_job(got, 2).size() == 1);
    f.claim(of_job(got, 2));
  }
  CHECK(f.rows("rm_intent", "job = 1") == "7");
  CHECK(f.schedule_of(1) == left); // due for any scheduler that can fire it
  // Many of them do not hide the others, either.
  f.db->exec("INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, created_ms)"
             " SELECT 'cron', id, " + ms(noon) + ", 0, 0, 0, 0, " + ms(noon) + " FROM xxl_job_info WHERE id > 2 AND id <= 550");
  got = f.reserve(noon + 55s, 50).intents;
  CHECK(of_job(got, 551).size() == 1);
  CHECK(got.size() >= 50);
  // It continues when they are gone: missed instants are left to the misfire policy.
  f.db->exec("DELETE FROM rm_intent WHERE job = 1");
  CHECK(of_job(f.reserve(noon + 2min).intents, 1).empty());
  CHECK(instants(of_job(f.reserve(noon + 2min).intents, 1)) == std::vector<std::int64_t>{121, 122, 123, 124, 125, 126});
}

TEST_CASE("takeover and back copy the schedule exactly", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon + 60s, "0 * * * * ?", {{"trigger_last_time", ms(noon)}});
  f.add_shared(2, core::time_point{});
  f.add_shared(3, noon + 60s);
  f.db->exec("UPDATE xxl_job_info SET trigger_next_time = 0 WHERE id = 3"); // as some clients register jobs
  f.db->exec("DELETE FROM rm_schedule WHERE job = 2");
  f.db->exec("INSERT INTO rm_schedule (job) VALUES (99)");
  auto other = f.db->open();
  auto taken = require(other->reservations()->switch_mode(cluster_mode::native, 2s));
  CHECK(taken.changed);
  CHECK(taken.nodes_fenced == 1);
  CHECK(require(other->reservations()->mode()) == core::mode_state{cluster_mode::native, false});
  CHECK(f.db->query("SELECT job, next_ms, last_ms FROM rm_schedule ORDER BY job") ==
        table{{"1", ms(noon + 60s), ms(noon)}, {"2", "0", "0"}, {"3", "1", "0"}});
  CHECK(error_of(f.reservations().reserve(f.me, {.now = noon})) == core::errc::fenced);
  CHECK_FALSE(require(other->reservations()->switch_mode(cluster_mode::native, 2s)).changed);
  // A Java admin that gets the lock in spite of the guard finds nothing due.
  CHECK(f.rows("xxl_job_info", "trigger_status = 1 AND trigger_next_time < " + ms(noon + 24h * 365)) == "0");

  f.me = require(f.store->cluster().enter("node-a", "here"));
  auto one = f.batch();
  one.seen_revision = require(f.firings().last_revision());
  f.plan(one, f.job(1), noon + 60s);
  REQUIRE(require(f.firings().claim(one, noon)).runs.size() == 1);
  auto back = require(other->reservations()->switch_mode(cluster_mode::shared, 2s));
  CHECK(back.changed);
  CHECK(f.schedule_of(1) == "1 60 120");
  CHECK(f.schedule_of(3) == "1 - " + f.from_noon("1"));
  CHECK(f.schedule_of(2) == "0 - -");
  CHECK(f.rows("rm_schedule", "next_ms <> 0") == "0");
  // The native claim of an earlier incarnation has ended.
  auto late = f.batch();
  f.plan(late, f.job(1), noon + 120s);
  CHECK(error_of(f.firings().claim(late, noon)) == core::errc::fenced);
}

TEST_CASE("a foreign edit right after takeover is noticed", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon);
  f.add_shared(2, noon, "0 * * * * ?", {{"update_time", "NULL"}});
  require(f.reservations().switch_mode(cluster_mode::native, 2s));
  f.db->exec("UPDATE xxl_job_info SET schedule_conf = '30 * * * * ?' WHERE id = 1");
  f.db->exec("UPDATE rm_mode SET wanted_at = UNIX_TIMESTAMP() - 61");
  const auto found = require(f.store->mirror().sync(core::job_id{0}, 100, true, noon)).adopted;
  REQUIRE(found.size() == 1);
  CHECK(found[0].job == core::job_id{1});
  CHECK(found[0].what == "schedule \"CRON 0 * * * * ?\" -> \"CRON 30 * * * * ?\"");
  CHECK(f.db->value("SELECT next_ms FROM rm_schedule WHERE job = 1") == ms(noon + 30s));
}

TEST_CASE("back restores unsent instants", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  f.add_shared(1, noon, "*/2 * * * * ?");
  REQUIRE(f.reserve(noon).intents.size() == 4);
  auto other = f.db->open();
  require(other->reservations()->switch_mode(cluster_mode::native, 2s));
  CHECK(f.rows("rm_intent", "state = 0") == "4"); // still fired in native mode
  auto back = require(other->reservations()->switch_mode(cluster_mode::shared, 2s));
  CHECK(back.instants_put_back == 4);
  CHECK(f.schedule_of(1) == "1 6 0");
}

TEST_CASE("the guard keeps a Java admin waiting, and lets takeover pass", "[storage]") {
  reservation_fixture f{GENERATE(from_range(shared_backends()))};
  auto guard = f.db->open();
  CHECK_FALSE(require(guard->reservations()->hold())); // not in shared mode
  f.db->exec("UPDATE rm_mode SET mode = 'native'");
  CHECK(require(guard->reservations()->hold()));
  CHECK(require(guard->reservations()->hold()));
  f.db->exec("SET SESSION innodb_lock_wait_timeout = 0");
  const char* java = "SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE";
  CHECK_THROWS((void) f.db->query(java));
  std::atomic<bool> stop{false};
  std::thread keeper{[&] {
    while (!stop)
      (void) guard->reservations()->hold();
  }};
  CHECK(require(f.reservations().switch_mode(cluster_mode::shared, 5s)).changed);
  stop = true;
  keeper.join();
  CHECK_NOTHROW((void) f.db->query(java));

}

TEST_CASE("a guard that does not notice the announcement is cut off", "[storage]") {
  if (shared_backends().empty())
    skip("no MariaDB here");
  reservation_fixture f{mysql_backend()};
  f.db->exec("UPDATE rm_mode SET mode = 'native'");
  config::database_settings settings;
  settings.url =
    "mysql://root@localhost/" + f.db->value("SELECT DATABASE()") + "?socket=" + mariadb_server::shared().socket_path();
  auto process = require(storage::make_mysql_database(settings, test_options())); // with its own list of connections
  auto guard = require(process->open());
  require(guard->ping());
  require(require(process->open())->cluster().enter("node-b", "there"));
  REQUIRE(require(guard->reservations()->hold()));
  CHECK(require(f.reservations().switch_mode(cluster_mode::shared, 200ms)).changed);
  CHECK_FALSE(require(guard->reservations()->hold()));
}
