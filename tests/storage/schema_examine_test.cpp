// Problems that can be found in a database beforehand.

#include "storage/rules/job_defects.hpp"
#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using storage::database_finding;
using level = database_finding::level;

namespace {

std::string failures(test_database& db) {
  std::string out;
  for (const auto& one : db.database().examine())
    if (one.how == level::failure)
      out += one.what + ": " + one.detail + '\n';
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string shanghai(core::time_point t) { return require(core::zone::find("Asia/Shanghai")).format(t); }

core::time_point now() { return std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now()); }

} // namespace

TEST_CASE("a correct database has no findings", "[schema]") {
  if (no_server_here())
    return;
  for (const int generation : {4, 7, 8}) {
    auto db = bare_xxl_database(generation);
    db->exec("INSERT INTO xxl_job_group (app_name, title) VALUES ('pay', 'Pay')");
    db->exec("INSERT INTO xxl_job_info (job_group, job_desc, glue_type, schedule_type, schedule_conf, trigger_status,"
             " executor_handler, executor_route_strategy, executor_block_strategy)"
             " VALUES (1, 'x', 'BEAN', 'CRON', '0 0 1 * * ?', 1, 'h', 'FIRST', 'COVER_EARLY')");
    for (const auto& one : db->database().examine())
      CHECK(one.how == level::fine);
  }
}

TEST_CASE("examine finds problems of tables", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(8);
  db->exec("DELETE FROM xxl_job_lock");
  db->exec("ALTER TABLE xxl_job_logglue ENGINE=MyISAM");
  db->exec("INSERT INTO xxl_job_group (app_name, title, access_token) VALUES ('pay', 'Pay', 'default_token')");
  const auto found = failures(*db);
  CHECK(has(found, "schedule_lock: "));
  CHECK(has(found, "xxl_job_logglue (MyISAM)"));
  CHECK(has(found, "group pay has the token"));
  db->exec("DROP TABLE xxl_job_log_report");
  CHECK(has(failures(*db), "half migrated: xxl_job_info is there, xxl_job_log_report is missing"));
  auto foreign = bare_xxl_database(0);
  foreign->exec("CREATE TABLE orders (id INT)");
  CHECK(has(failures(*foreign), "not XXL's"));
}

TEST_CASE("examine finds causes of failing writes", "[schema]") {
  if (no_server_here())
    return;
  const auto told = [](test_database& db) {
    std::string out;
    for (const auto& one : db.database().examine())
      if (one.how != level::fine)
        out += (one.how == level::failure ? "fail " : "warn ") + one.what + ": " + one.detail + '\n';
    return out;
  };
  auto db = bare_xxl_database(7);
  db->exec("ALTER TABLE xxl_job_log CONVERT TO CHARACTER SET latin1");
  db->exec("ALTER TABLE xxl_job_group CONVERT TO CHARACTER SET utf8mb3");
  db->exec("CREATE TRIGGER audit BEFORE INSERT ON xxl_job_log FOR EACH ROW SIGNAL SQLSTATE '45000'");
  CHECK(has(told(*db), "fail character set: xxl_job_log."));
  CHECK(has(told(*db), " is in latin1: "));
  CHECK(has(told(*db), "warn character set: xxl_job_group."));
  CHECK(has(told(*db), "warn triggers: trigger audit on xxl_job_log: "));
  CHECK_FALSE(has(told(*db), "run ids"));
  db->exec("DROP TRIGGER audit");
  db->exec("ALTER TABLE xxl_job_log AUTO_INCREMENT = 9223372036854775800");
  CHECK(has(told(*db), "warn run ids: xxl_job_log.id (bigint) has 7 ids left"));
  db->exec("ALTER TABLE xxl_job_log AUTO_INCREMENT = 9223372036854775807");
  CHECK(has(told(*db), "fail run ids: xxl_job_log.id (bigint) has 0 ids left"));
  db->exec("ALTER TABLE xxl_job_log MODIFY id int NOT NULL AUTO_INCREMENT, AUTO_INCREMENT = 2147483647");
  CHECK(has(told(*db), "fail run ids: xxl_job_log.id (int) has 0 ids left"));
  db->exec("ALTER TABLE xxl_job_log AUTO_INCREMENT = 1");
  CHECK_FALSE(has(told(*db), "run ids"));
}

TEST_CASE("examine names at most twenty jobs that cannot be planned", "[schema]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  auto db = fresh_database(backend);
  for (int id = 1; id <= 25; ++id)
    db->exec(
      "INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, schedule_type, schedule_conf, trigger_status) VALUES (" +
      std::to_string(id) + ", 1, 'x', 'BEAN', 'CRON', 'every day', 1)");
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, schedule_type, schedule_conf, trigger_status)"
           " VALUES (30, 1, 'x', 'BEAN', 'CRON', '0 0 1 * * ?', 1)");
  const auto found = failures(*db);
  CHECK(has(found, "25 of 26 cannot be planned: job 1: CRON \"every day\": "));
  CHECK(has(found, "; job 20: "));
  CHECK_FALSE(has(found, "; job 21: "));
  CHECK(has(found, "; and 5 more"));
}

TEST_CASE("examine finds a zone that this machine does not know", "[schema]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  auto db = fresh_database(backend);
  for (int id = 1; id <= 2; ++id)
    db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, schedule_type, schedule_conf, trigger_status)"
             " VALUES (" + std::to_string(id) + ", 1, 'x', 'BEAN', 'CRON', '0 0 1 * * ?', 1)");
  db->exec("INSERT INTO rm_job_ext (job, time_zone) VALUES (1, 'Asia/Shanghai'), (2, 'Mars/Olympus')");
  const auto found = failures(*db);
  CHECK(has(found, "1 of 2 cannot be planned: job 2: "));
  CHECK(has(found, "Mars/Olympus"));
}

TEST_CASE("examine finds values that XXL-JOB does not write", "[schema]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  auto db = fresh_database(backend);
  const auto rows = [&] {
    for (const auto& one : db->database().examine())
      if (one.what == "rows")
        return one;
    return database_finding{level::fine, "none", ""};
  };
  CHECK(rows().how == level::fine);
  CHECK(rows().what == "rows");
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (1, 'pay', 'Pay', 0, NULL)");
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list)"
           " VALUES (2, ' ', 'x', 7, 'http://a/,here')");
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (3, 'm', 'x', 1, NULL)");
  db->exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value) VALUES ('EXECUTOR', 'pay', 'there')");
  for (const char* native : {"ringmaster://pay/vm-1", "ringmaster://other/vm-2"})
    db->exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value) VALUES ('EXECUTOR', 'pay', '"
             + std::string{native} + "')");
  db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 1, 0, 0)");
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, executor_handler, executor_route_strategy,"
           " executor_block_strategy, misfire_strategy, executor_timeout, child_jobid)"
           " VALUES (1, 1, 'x', 'BEAN', 'h', 'FIRST', 'LATER', 'PRAY', -5, '1,x')");
  auto found = rows();
  CHECK(found.how == level::warning);
  for (const char* part :
       {"group 2: app_name is blank", "group 2: address_type 7 counts as 1", "group 2: \"here\" is not an address",
        "group 3: no address is configured", "registration \"there\": invalid address",
        "1 of the newest runs have no trigger_time",
        "job 1: executor_block_strategy \"LATER\" counts as SERIAL_EXECUTION", "misfire_strategy \"PRAY\" counts as DO_NOTHING",
        "executor_timeout -5 counts as none", "child_jobid has \"x\""}) {
    CAPTURE(part, found.detail);
    CHECK(has(found.detail, part));
  }
  CHECK_FALSE(has(found.detail, "ringmaster://pay/vm-1"));
  CHECK(has(found.detail, "registration \"ringmaster://other/vm-2\": invalid address")); // of another app
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_status) VALUES (2, 77, 'x', 'BEAN', 1)");
  found = rows();
  CHECK(found.how == level::failure);
  CHECK(has(found.detail, "job 2: unknown group 77: its runs fail"));
  CHECK(has(found.detail, "job 2: executor_route_strategy NULL: its runs fail"));
  CHECK(has(found.detail, "job 2: executor_handler NULL: its runs fail"));
}

TEST_CASE("a job's defect is one line", "[schema]") {
  core::schedule_rules rules{require(core::zone::find("UTC"))};
  using storage::defect_of;
  CHECK(defect_of({1, 1, "CRON", "0 0 1 * * ?"}, rules).empty());
  CHECK(defect_of({1, 1, "NONE", std::nullopt}, rules).empty());
  CHECK(defect_of({1, 0, "FIX_DELAY", std::nullopt}, rules).empty());
  CHECK(defect_of({1, 1, "FIX_DELAY", "5"}, rules) == "schedule type \"FIX_DELAY\"");
  CHECK(defect_of({1, 1, "CRON", std::nullopt}, rules) == "schedule_conf is NULL");
  CHECK_FALSE(defect_of({1, 1, "FIX_RATE", "0"}, rules).empty());
  CHECK_FALSE(defect_of({1, 7, "CRON", "0 0 1 * * ?"}, rules).empty());
  CHECK_FALSE(defect_of({-3, 0, "NONE", ""}, rules).empty());
  // With the schedule options next to its text.
  core::schedule_options nowhere;
  nowhere.time_zone = "Mars/Olympus";
  CHECK(has(defect_of({1, 1, "CRON", "0 0 1 * * ?", nowhere}, rules), "Mars/Olympus"));
  CHECK(defect_of({1, 0, "CRON", "0 0 1 * * ?", nowhere}, rules).empty());
  core::schedule_options often;
  often.interval_ms = 0;
  CHECK_FALSE(defect_of({1, 1, "FIX_RATE", "5", often}, rules).empty());
  often.interval_ms = 500;
  CHECK(defect_of({1, 1, "FIX_RATE", "", often}, rules).empty());
}

TEST_CASE("examine finds times that were written in another zone", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(7);
  const auto ran = noon;
  for (int id = 1; id <= 3; ++id) {
    db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_last_time) VALUES (" + std::to_string(id)
             + ", 1, 'x', 'BEAN', " + std::to_string(core::to_ms(ran)) + ")");
    db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, " +
             std::to_string(id) + ", '" + shanghai(ran + std::chrono::seconds{id}) + "', 200, 200)");
  }
  CHECK(failures(*db).empty());
  db->exec("UPDATE xxl_job_log SET trigger_time = trigger_time - INTERVAL 8 HOUR");
  CHECK(has(failures(*db), "database zone: the last runs are dated 480 minutes before their instants"));
}

TEST_CASE("a database of ours without a mode row is in native mode, one of XXL-JOB's in shared mode", "[schema]") {
  if (no_server_here())
    return;
  for (const bool ours : {true, false}) {
    auto db = bare_xxl_database(ours ? 0 : 5);
    REQUIRE(db->database().migrate());
    db->exec("DROP TABLE rm_mode"); // as before the step that creates it
    db->exec("DELETE FROM rm_migration WHERE number >= 6");
    db->exec("INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)"
             " VALUES ('EXECUTOR', 'pay', 'x', '" + shanghai(now()) + "')");
    CHECK(has(failures(*db), "Java admins: an executor was registered") == ours);
  }
}

TEST_CASE("examine finds other active schedulers", "[schema]") {
  if (no_server_here())
    return;
  auto db = bare_xxl_database(5);
  REQUIRE(db->database().migrate());
  const auto set_mode = [&](const char* mode) { db->exec("UPDATE rm_mode SET mode = '" + std::string{mode} + "'"); };
  // In shared mode they may.
  const auto native_alone = [&](const std::string& wanted) {
    set_mode("native");
    CHECK(has(failures(*db), wanted));
    set_mode("shared");
    CHECK_FALSE(has(failures(*db), "Java admins"));
    set_mode("native");
  };
  db->exec(
    "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES ('EXECUTOR', 'pay', 'x', '" +
    shanghai(now()) + "')");
  native_alone("Java admins: an executor was registered");
  db->exec("DELETE FROM xxl_job_registry");
  CHECK(failures(*db).empty());
  db->exec(
    "INSERT INTO xxl_job_info (job_group, job_desc, glue_type, trigger_status, trigger_last_time, schedule_type) VALUES (1, 'x',"
    " 'BEAN', 1, " +
    std::to_string(core::to_ms(now())) + ", 'NONE')");
  native_alone("Java admins: a job was planned");
  db->exec("DELETE FROM xxl_job_info");
  db->exec("START TRANSACTION");
  db->exec("SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE INTO @held");
  CHECK(has(failures(*db), "Java admins: schedule_lock has been held"));
  db->exec("COMMIT");
  CHECK(failures(*db).empty());
}
