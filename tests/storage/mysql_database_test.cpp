// Tests of database servers only: foreign schemas, locks of dead nodes, two writers at once.

#include <atomic>
#include <set>
#include <thread>

#include "storage/mysql/driver/session.hpp"
#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// Returns a database that looks like another process to the server.
std::unique_ptr<storage::database> another_process(const std::string& name) {
  config::database_settings settings;
  settings.url = "mysql://root@localhost/" + name + "?socket=" + mariadb_server::shared().socket_path();
  return require(storage::make_mysql_database(settings, test_options()));
}

std::string name_of(test_database& db) { return db.value("SELECT DATABASE()"); }

} // namespace

TEST_CASE("an interrupted migration continues", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  db->exec("DELETE FROM rm_migration WHERE number = 2");
  db->exec("DROP TABLE rm_claim, rm_deploy");
  db->exec(
    "INSERT INTO xxl_job_info (job_group, job_desc, glue_type, trigger_status, trigger_next_time) VALUES (1, 'x', 'BEAN', 1, "
    "5000)");
  const auto again = another_process(name_of(*db));
  CHECK(error_of(again->open()) == core::errc::unsupported);
  require(again->migrate());
  CHECK(require(again->pending_migrations()).empty());
  CHECK(db->value("SELECT counter FROM rm_edit") == "0");
  CHECK(db->value("SELECT next_ms FROM rm_schedule") == "5000");
  require(again->open());
}

TEST_CASE("two concurrent processes migrate once", "[storage]") {
  if (no_server_here())
    return;
  mariadb_server::shared().url("migrated_twice");
  std::vector<std::thread> both;
  std::atomic<int> done{0};
  for (int i = 0; i < 2; ++i)
    both.emplace_back([&done] { done += another_process("migrated_twice")->migrate() ? 1 : 0; });
  for (auto& one : both)
    one.join();
  CHECK(done == 2);
  CHECK(require(another_process("migrated_twice")->pending_migrations()).empty());
}

TEST_CASE("an account without access is unavailable, and its password is not shown", "[storage]") {
  if (no_server_here())
    return;
  config::database_settings settings;
  settings.url = "mysql://stranger:hunter2@localhost/none?socket=" + mariadb_server::shared().socket_path();
  const auto database = require(storage::make_mysql_database(settings, test_options()));
  const auto opened = database->open();
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == core::errc::unavailable);
  CHECK(opened.error().context.find("hunter2") == std::string::npos);
  CHECK(database->description().find("hunter2") == std::string::npos);
}

TEST_CASE("a node's row names every connection of its process", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  const auto process = another_process(name_of(*db));
  // The connections are followed by the start of the server that numbered them.
  const auto connections = [&] {
    return db->value("SELECT SUBSTRING_INDEX(connections, ',@', 1) FROM rm_node WHERE id = 'node-a'");
  };
  auto first = require(process->open());
  const auto life = require(first->cluster().enter("node-a", "x"));
  const auto one = connections();
  CHECK(db->value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + one) == "1");
  {
    auto second = require(process->open());
    CHECK(connections().starts_with(one + ","));
  }
  db->exec("KILL " + one);
  require(first->ping());
  CHECK(connections() != one);
  CHECK(db->value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + connections()) == "1");
  require(first->cluster().beat(life, 1));
}

TEST_CASE("a fence does not wait for a transaction of a dead node", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  const auto process = another_process(name_of(*db));
  auto store = require(process->open());
  require(store->cluster().enter("node-a", "x"));
  // The test's own connection simulates a node that was suspended in a claim.
  db->exec("UPDATE rm_node SET connections = CONCAT(CONNECTION_ID(), SUBSTRING(connections FROM LOCATE(',@', connections)))");
  db->exec("START TRANSACTION");
  db->exec("SELECT 1 FROM rm_life WHERE node = 'node-a' LOCK IN SHARE MODE INTO @locked");
  const auto observer_process = another_process(name_of(*db));
  auto observer = require(observer_process->open());
  const auto nodes = require(observer->cluster().nodes());
  REQUIRE(nodes.size() == 1);
  SECTION("the dead node's connection is ended") {
    CHECK(require(observer->cluster().fence(nodes[0])));
    CHECK_THROWS(db->exec("COMMIT"));
    CHECK(require(observer->cluster().nodes())[0].state == core::node_state::fenced);
  }
  SECTION("no connection is ended when the node's row has changed") {
    auto wrong = nodes[0];
    ++wrong.beat;
    CHECK_FALSE(require(observer->cluster().fence(wrong)));
    CHECK_NOTHROW(db->exec("COMMIT"));
  }
}

TEST_CASE("a fence ends no connection that a living node names", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  const auto living_process = another_process(name_of(*db));
  auto living = require(living_process->open());
  require(living->cluster().enter("node-b", "x"));
  const auto dead_process = another_process(name_of(*db));
  auto dead = require(dead_process->open());
  require(dead->cluster().enter("node-a", "x"));
  // As after a restart of the server, when numbers begin again.
  const auto connection = db->value("SELECT SUBSTRING_INDEX(connections, ',@', 1) FROM rm_node WHERE id = 'node-b'");
  db->exec("UPDATE rm_node SET connections = CONCAT('" + connection
           + ",999999,nonsense', SUBSTRING(connections FROM LOCATE(',@', connections))) WHERE id = 'node-a'");
  const auto observer_process = another_process(name_of(*db));
  auto observer = require(observer_process->open());
  CHECK(require(observer->cluster().fence(require(observer->cluster().nodes())[0])));
  CHECK(db->value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + connection) == "1");
}

TEST_CASE("a fence ends no connection that another start of the server numbered", "[storage]") {
  if (no_server_here())
    return;
  auto db = fresh_database(mysql_backend());
  const auto dead_process = another_process(name_of(*db));
  auto dead = require(dead_process->open());
  require(dead->cluster().enter("node-a", "x"));
  // The test's own connection simulates a Java admin with a number that the dead node's row still names.
  const auto* const lists = GENERATE("CONCAT(CONNECTION_ID(), ',@elsewhere:3306:', UNIX_TIMESTAMP())",
                                     "CONCAT(CONNECTION_ID(), ',', REPLACE(SUBSTRING_INDEX(connections, ',', -1), ':1', ':9'))",
                                     "CONCAT('', CONNECTION_ID())");
  db->exec("UPDATE rm_node SET connections = " + std::string{lists});
  const auto observer_process = another_process(name_of(*db));
  auto observer = require(observer_process->open());
  CHECK(require(observer->cluster().fence(require(observer->cluster().nodes())[0])));
  CHECK_NOTHROW(db->exec("DO 1"));
}

TEST_CASE("the start of a server is read from a list of connections", "[storage]") {
  using storage::mysql::server_start;
  const server_start here{"db1:3306", 1'795'413'782};
  CHECK(here.text() == "@db1:3306:1795413782");
  const auto read = server_start::find_in("12,15," + here.text());
  REQUIRE(read);
  CHECK(read->is(here));
  CHECK(server_start{"db1:3306", here.at + 1}.is(here));
  CHECK_FALSE(server_start{"db1:3306", here.at + 3}.is(here));
  CHECK_FALSE(server_start{"db2:3306", here.at}.is(here));
  for (const auto* list : {"", "12,15", "12,@", "12,@db1", "12,@db1:", "12,@db1:3306:", "12,@db1:3306:5x", ":5,12@"})
    CHECK_FALSE(server_start::find_in(list));
}

namespace {

/// Repeats the call, as its callers do. A program under a sanitizer on a busy machine may leave a transaction idle for the second
/// after which the server ends it. A call that is refused for its size is refused each time.
template <class Call>
auto in_the_end(Call call) {
  auto outcome = call();
  for (int again = 0; !outcome && outcome.error().code == core::errc::unavailable && again < 5; ++again)
    outcome = call();
  return require(std::move(outcome));
}

} // namespace

TEST_CASE("a batch of long texts stays below the server's packet limit", "[storage]") {
  if (no_server_here())
    return;
  firing_fixture f{mysql_backend()};
  auto batch = f.batch();
  for (std::int32_t id = 1; id <= 300; ++id) {
    f.plan(batch, f.add_job(id));
    batch.runs.back().param = std::string(30'000, 'p') + std::to_string(id);
  }
  const auto outcome = in_the_end([&] { return f.firings().claim(batch, noon); });
  REQUIRE(outcome.runs.size() == 300);
  for (std::size_t i = 0; i < outcome.runs.size(); ++i)
    REQUIRE(f.row(outcome.runs[i].id).executor_param == batch.runs[i].param);
  auto results = f.results();
  const auto long_text = [](std::size_t i) {
    std::string text = std::to_string(i);
    while (text.size() < 40'000)
      text += "错误";
    return text;
  };
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    const auto& run = outcome.runs[i];
    if (i % 3 == 0)
      results.triggers.push_back(f.answer(run, 500, long_text(i)));
    else
      results.callbacks.push_back(f.callback(run, i % 3 == 1 ? 200 : 500, long_text(i)));
  }
  const auto recorded = in_the_end([&] { return f.firings().record(results, noon); });
  CHECK(recorded.triggers_stored == 100);
  CHECK(recorded.callbacks_stored == 200);
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    const auto row = f.row(outcome.runs[i].id);
    REQUIRE((i % 3 == 0 ? row.trigger_msg.ends_with(long_text(i)) : row.handle_msg == long_text(i)));
  }
}

TEST_CASE("planners on several connections claim each instant once", "[storage]") {
  if (no_server_here())
    return;
  firing_fixture f{mysql_backend()};
  constexpr std::int32_t jobs = 60;
  constexpr int rounds = 12;
  std::vector<core::job_ptr> specs;
  for (std::int32_t id = 1; id <= jobs; ++id)
    specs.push_back(f.add_job(id));
  std::atomic<std::size_t> won{0};
  std::atomic<std::size_t> lost{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> planners;
  for (int planner = 0; planner < 3; ++planner)
    planners.emplace_back([&, planner, store = std::shared_ptr{f.db->open()}] {
      const auto life = store->cluster().enter("planner-" + std::to_string(planner), "x");
      std::int64_t sequence = 1;
      for (int round = 0; life && round < rounds; ++round) {
        core::claim_batch batch;
        batch.owner = *life;
        batch.sequence = sequence++;
        // Each passes the jobs in another order and in other groups, so that their locks collide.
        for (std::int32_t i = 0; i < jobs; ++i) {
          const auto& spec = specs[static_cast<std::size_t>(planner == 0 ? i : jobs - 1 - i)];
          const auto at = noon + round * 60s;
          batch.moves.push_back({spec->id, at, at + (i % (planner + 1)) * 1ms, noon + (round + 1) * 60s});
          batch.runs.push_back(firing_fixture::run_of(spec, at));
        }
        // Rows that another planner's claim holds now are left out, and tried again until they are won or lost.
        while (!batch.moves.empty()) {
          // Only an answer counts; without one the same claim is repeated.
          auto outcome = store->firings().claim(batch, noon);
          for (int again = 0; !outcome && outcome.error().code == core::errc::unavailable && again < 10; ++again)
            outcome = store->firings().claim(batch, noon);
          failed += outcome ? 0 : 1;
          if (!outcome)
            break;
          won += outcome->runs.size();
          lost += outcome->lost_races.size();
          const std::set<core::job_id> locked{outcome->locked_jobs.begin(), outcome->locked_jobs.end()};
          std::erase_if(batch.moves, [&locked](const auto& move) { return !locked.contains(move.job); });
          std::erase_if(batch.runs, [&locked](const auto& run) { return !locked.contains(run.spec->id); });
          batch.sequence = sequence++;
        }
      }
    });
  for (auto& planner : planners)
    planner.join();
  CHECK(failed == 0);
  CHECK(won == std::size_t{jobs} * rounds);
  CHECK(lost == std::size_t{jobs} * rounds * 2);
  CHECK(f.rows("xxl_job_log") == std::to_string(jobs * rounds));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_schedule WHERE next_ms <> " + std::to_string(core::to_ms(noon + rounds * 60s))) ==
        "0");
}
