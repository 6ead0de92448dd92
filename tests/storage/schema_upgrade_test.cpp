// Databases that XXL-JOB made: Ringmaster's additions, its changes on request, and what it never touches.

#include "tests/storage/firing_fixture.hpp"
#include "tests/storage/xxl_schemas.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using storage::schema_change;
using Catch::Generators::from_range;

namespace {

/// Columns and indexes of XXL's tables; names of indexes do not count.
std::vector<table> picture_of_schema(test_database& db) {
  return {
    db.query("SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, COLLATION_NAME"
             " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl\\_job\\_%'"
             " ORDER BY TABLE_NAME, ORDINAL_POSITION"),
    db.query("SELECT TABLE_NAME, NON_UNIQUE, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX) AS list"
             " FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl\\_job\\_%'"
             " GROUP BY TABLE_NAME, INDEX_NAME, NON_UNIQUE ORDER BY TABLE_NAME, list"),
    db.query("SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
             " AND TABLE_NAME LIKE 'xxl\\_job\\_%' ORDER BY TABLE_NAME"),
  };
}

/// Drops the only addition of shared mode to XXL's tables.
void drop_due_index(test_database& db) { db.exec("ALTER TABLE xxl_job_info DROP INDEX rm_due"); }

std::vector<table> schema_of_g7() {
  static const auto newest = picture_of_schema(*bare_xxl_database(7));
  return newest;
}

void register_twice(test_database& db) {
  db.exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES"
          " ('EXECUTOR', 'pay', 'http://a/', '2024-03-01 10:00:00'), ('EXECUTOR', 'pay', 'http://a/', '2024-03-01 11:00:00'),"
          " ('EXECUTOR', 'pay', 'http://a/', '2024-03-01 11:00:00'), ('EXECUTOR', 'PAY', 'http://a/', NULL),"
          " ('EXECUTOR', 'pay', 'http://b/', NULL)");
}

} // namespace

TEST_CASE("migrate adds our tables to XXL's and leaves those unchanged", "[schema]") {
  if (no_server_here())
    return;
  const int generation = GENERATE(from_range(xxl_generations));
  CAPTURE(generation);
  auto db = bare_xxl_database(generation);
  db->exec("INSERT INTO xxl_job_user (username, password, role) VALUES ('admin', 'x', 1)");
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_status, trigger_next_time, trigger_last_time)"
           " VALUES (5, 1, 'x', 'BEAN', 1, 777, 666)");
  const auto before = picture_of_schema(*db);
  CHECK(error_of(db->database().open()) == core::errc::unsupported);
  for (const auto& step : require(db->database().pending_migrations()))
    for (const auto& statement : step.statements)
      CHECK(statement.find("CREATE TABLE IF NOT EXISTS xxl_") == std::string::npos);
  require(db->database().migrate());
  CHECK(require(db->database().pending_migrations()).empty());
  require(db->open()->ping());
  CHECK(db->value("SELECT mode FROM rm_mode") == "shared");
  drop_due_index(*db);
  CHECK(picture_of_schema(*db) == before);
  CHECK(db->value("SELECT COUNT(*) FROM xxl_job_user") == "1");
  CHECK(db->value("SELECT COUNT(*) FROM xxl_job_group") == "0");
  CHECK(db->query("SELECT next_ms, last_ms FROM rm_schedule WHERE job = 5") == table{{"777", "666"}});
}

TEST_CASE("after a crash following our first table, XXL's tables are not created", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(4);
  const auto before = picture_of_schema(*db);
  db->exec("CREATE TABLE rm_migration (number INT NOT NULL, name VARCHAR(64) NOT NULL, PRIMARY KEY (number)) ENGINE=InnoDB");
  REQUIRE_FALSE(require(db->database().pending_migrations()).empty());
  CHECK(require(db->database().pending_migrations()).front().number == 2);
  require(db->database().migrate());
  require(db->open()->ping());
  CHECK(db->value("SELECT mode FROM rm_mode") == "shared");
  drop_due_index(*db);
  CHECK(picture_of_schema(*db) == before);
}

TEST_CASE("a migration that was interrupted while creating the tables begins in native mode", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(0);
  const auto xxl_tables = require(db->database().pending_migrations()).front();
  REQUIRE(xxl_tables.number == 1);
  require(db->database().migrate());
  CHECK(db->value("SELECT mode FROM rm_mode") == "native");
  // As after the last statement of the first step, before its end is recorded.
  for (const auto& row : db->query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
                                   " AND TABLE_NAME LIKE 'rm\\_%' AND TABLE_NAME <> 'rm_migration'"))
    db->exec("DROP TABLE " + row[0]);
  db->exec("DELETE FROM rm_migration WHERE number > 1");
  db->exec("UPDATE rm_migration SET number = 0");
  CHECK(require(db->database().pending_migrations()).front().number == 1);
  require(db->database().migrate());
  CHECK(db->value("SELECT mode FROM rm_mode") == "native");
  CHECK(db->query("SELECT name FROM rm_migration WHERE number < 2") == table{{"xxl_tables"}});
  CHECK(db->value("SELECT COUNT(*) FROM xxl_job_lock") == "1");
}

TEST_CASE("foreign or incomplete tables stay unchanged", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(0);
  std::string expected;
  SECTION("not XXL's") {
    db->exec("CREATE TABLE orders (id INT)");
    expected = "not XXL's";
  }
  SECTION("half of XXL's") {
    for (const auto& statement : xxl_schema(6))
      db->exec(statement);
    db->exec("DROP TABLE xxl_job_logglue");
    expected = "half migrated: xxl_job_info is there, xxl_job_logglue is missing";
  }
  SECTION("too old") {
    db->exec("CREATE TABLE xxl_job_info (id INT, job_cron VARCHAR(128))");
    expected = "G1-G3: unsupported";
  }
  const auto tables = db->query("SHOW TABLES");
  for (int i = 0; i < 2; ++i) {
    const auto refused = i == 0 ? db->database().migrate() : core::result<void>{tl::unexpected{db->database().open().error()}};
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == core::errc::unsupported);
    CHECK(refused.error().context.find(expected) != std::string::npos);
  }
  CHECK(error_of(db->database().change(schema_change::xxl_release)) == core::errc::unsupported);
  CHECK(db->query("SHOW TABLES") == tables);
}

TEST_CASE("an upgrade ends at the newest released tables, from every generation", "[schema]") {
  if (no_server_here())
    return;
  const int generation = GENERATE(4, 5, 6, 7);
  CAPTURE(generation);
  auto db = bare_xxl_database(generation);
  if (generation == 4)
    register_twice(*db);
  db->exec("INSERT INTO xxl_job_group (app_name, title) VALUES ('pay', 'twelve chars')");
  db->exec("INSERT INTO xxl_job_info (job_group, job_desc, glue_type, executor_param) VALUES (1, 'x', 'BEAN', 'p')");
  const auto before = picture_of_schema(*db);
  const auto planned = require(db->database().plan(schema_change::xxl_release));
  CHECK(picture_of_schema(*db) == before);
  CHECK(planned.steps.size() == static_cast<std::size_t>(7 - generation));
  const auto done = require(db->database().change(schema_change::xxl_release));
  REQUIRE(done.steps.size() == planned.steps.size());
  for (std::size_t i = 0; i < done.steps.size(); ++i)
    CHECK(done.steps[i].statements == planned.steps[i].statements);
  CHECK(picture_of_schema(*db) == schema_of_g7());
  CHECK(require(db->database().plan(schema_change::xxl_release)).steps.empty());
  CHECK(db->query("SELECT title FROM xxl_job_group") == table{{"twelve chars"}});
  CHECK(db->query("SELECT executor_param FROM xxl_job_info") == table{{"p"}});
  if (generation == 4)
    CHECK(db->query("SELECT registry_key, registry_value, update_time FROM xxl_job_registry ORDER BY registry_value")
          == table{{"pay", "http://a/", "2024-03-01 11:00:00"}, {"pay", "http://b/", "NULL"}});
  require(db->database().migrate());
  require(db->open()->ping());
}

TEST_CASE("an upgrade that was interrupted anywhere continues", "[schema]") {
  if (no_server_here())
    return;
  std::vector<std::string> statements;
  for (const auto& step : require(bare_xxl_database(4)->database().plan(schema_change::xxl_release)).steps)
    statements.insert(statements.end(), step.statements.begin(), step.statements.end());
  REQUIRE(statements.size() > 5);
  for (std::size_t done = 0; done <= statements.size(); ++done) {
    CAPTURE(done);
    auto db = bare_xxl_database(4);
    register_twice(*db);
    for (std::size_t i = 0; i < done; ++i)
      db->exec(statements[i]);
    require(db->database().migrate());
    require(db->open()->ping());
    require(db->database().change(schema_change::xxl_release));
    require(db->open()->ping());
    drop_due_index(*db);
    CHECK(picture_of_schema(*db) == schema_of_g7());
  }
}

TEST_CASE("an upgrade that operators began manually is finished", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(4);
  for (const int to : {5, 6, 7})
    for (const auto& statement : xxl_step_in_place(to))
      if (statement.find("MODIFY password") == std::string::npos && statement.find("xxl_job_group") == std::string::npos)
        db->exec(statement);
  db->exec("DELETE FROM xxl_job_lock");
  db->exec("ALTER TABLE xxl_job_logglue ENGINE=MyISAM");
  db->exec("ALTER TABLE xxl_job_log_report DROP COLUMN update_time");
  CHECK(error_of(db->database().migrate()) == core::errc::unsupported); // no transactions
  require(db->database().change(schema_change::xxl_release));
  CHECK(db->value("SELECT COUNT(*) FROM xxl_job_lock WHERE lock_name = 'schedule_lock'") == "1");
  // The title has no comment any more, because of the manual change: only columns and keys count.
  CHECK(picture_of_schema(*db)[1] == schema_of_g7()[1]);
  CHECK(picture_of_schema(*db)[2] == schema_of_g7()[2]);
  require(db->database().migrate());
  require(db->open()->ping());
}

TEST_CASE("an unreleased generation is neither begun nor finished", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(8);
  auto before = picture_of_schema(*db);
  CHECK(require(db->database().change(schema_change::xxl_release)).steps.empty());
  CHECK(picture_of_schema(*db) == before);
  db->exec("ALTER TABLE xxl_job_group DROP COLUMN access_token");
  before = picture_of_schema(*db);
  const auto done = require(db->database().change(schema_change::xxl_release));
  CHECK(done.steps.empty());
  REQUIRE_FALSE(done.notes.empty());
  CHECK(done.notes.back().find("xxl_job_group.access_token") != std::string::npos);
  CHECK(picture_of_schema(*db) == before);
}

TEST_CASE("the log's indexes are removed and restored on request", "[schema]") {
  if (no_server_here())
    return;
  const int generation = GENERATE(from_range(xxl_generations));
  CAPTURE(generation);
  auto db = bare_xxl_database(generation);
  const auto before = picture_of_schema(*db);
  require(db->database().change(schema_change::lean_log));
  CHECK(db->query("SELECT DISTINCT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'xxl_job_log' ORDER BY 1")
        == table{{"id"}, {"job_id"}});
  CHECK(require(db->database().plan(schema_change::lean_log)).steps.empty());
  // An upgrade does not restore indexes that were dropped on purpose.
  if (generation < 7)
    for (const auto& step : require(db->database().plan(schema_change::xxl_release)).steps)
      for (const auto& statement : step.statements)
        CHECK((statement.find("xxl_job_log ") == std::string::npos || statement.find("KEY") == std::string::npos));
  require(db->database().change(schema_change::full_log));
  if (generation >= 5) // before that the log had no index on its jobs
    CHECK(picture_of_schema(*db) == before);
  CHECK(require(db->database().plan(schema_change::full_log)).steps.empty());
  CHECK(require(db->database().plan(schema_change::shared_index)).steps.size() == 1);
  require(db->database().change(schema_change::shared_index));
  CHECK(require(db->database().plan(schema_change::shared_index)).steps.empty());
}

TEST_CASE("a running store notices a schema upgrade by another process", "[schema]") {
  if (no_server_here())
    return;
  auto db = fresh_database(xxl_backend(7));
  auto store = db->open();
  db->exec("INSERT INTO xxl_job_group (app_name, title) VALUES ('pay', 'Pay')");
  CHECK(require(store->registry().read()).groups.at(0).title == "Pay");
  for (const auto& statement : xxl_step_in_place(8))
    db->exec(statement);
  CHECK(require(store->registry().read()).groups.at(0).title == "Pay");
}
