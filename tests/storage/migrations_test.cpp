// The schema of every backend: the same steps, the same tables, the same columns.

#include "storage/migrations.hpp"

#include <algorithm>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using storage::migration_step;

TEST_CASE("a newly migrated database needs no step and can be used", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  CHECK(require(db->database().pending_migrations()).empty());
  require(db->database().migrate());
  table numbers;
  for (const auto& step : storage::sqlite_migrations())
    numbers.push_back({std::to_string(step.number)});
  CHECK(db->query("SELECT number FROM rm_migration ORDER BY number") == numbers);
  CHECK(db->query("SELECT lock_name FROM xxl_job_lock") == table{{"schedule_lock"}});
  for (const char* empty : {"xxl_job_info", "xxl_job_user", "xxl_job_group", "xxl_job_log"})
    CHECK(db->value(std::string{"SELECT count(*) FROM "} + empty) == "0");
  require(db->open()->ping());
}

TEST_CASE("every table has its columns", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (backend.generation != 0)
    return;
  auto db = fresh_database(backend);
  for (const char* sql : {
         "SELECT id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, "
         "misfire_strategy, "
         "executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, "
         "executor_fail_retry_count, "
         "glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, "
         "trigger_next_time FROM xxl_job_info",
         "SELECT id, job_group, job_id, executor_address, executor_handler, executor_param, executor_sharding_param, "
         "executor_fail_retry_count, "
         "trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status FROM xxl_job_log",
         "SELECT id, trigger_day, running_count, suc_count, fail_count, update_time FROM xxl_job_log_report",
         "SELECT id, job_id, glue_type, glue_source, glue_remark, add_time, update_time FROM xxl_job_logglue",
         "SELECT id, registry_group, registry_key, registry_value, update_time FROM xxl_job_registry",
         "SELECT id, app_name, title, address_type, address_list, update_time FROM xxl_job_group",
         "SELECT id, username, password, token, role, permission FROM xxl_job_user",
         "SELECT job, next_ms, last_ms, revision FROM rm_schedule",
         "SELECT id, incarnation, beat, state, address, connections FROM rm_node",
         "SELECT node, incarnation, process, cut, ran_out FROM rm_life",
         "SELECT node, incarnation, seq, maybe_sent, first_log_id, items FROM rm_claim",
         "SELECT id, kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, state, node, incarnation, "
         "created_ms, schedule FROM rm_intent",
         "SELECT id, mode, wanted, wanted_at FROM rm_mode",
         "SELECT log_id, job, fire_ms FROM rm_failed_run",
         "SELECT job, source, job_key, content_hash, on_unknown FROM rm_job_ext",
         "SELECT group_id, source FROM rm_group_ext",
         "SELECT source, revision FROM rm_deploy",
         "SELECT rule_key, source, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered, kinds FROM rm_alarm",
         "SELECT job, log_id FROM rm_alarm_open",
         "SELECT id, name, digest, user_id, created_ms, expires_ms, used_ms FROM rm_api_key",
         "SELECT registry_key, registry_value, token FROM rm_shown_token",
         "SELECT job, user_name, at_ms FROM rm_stop",
         "SELECT log_id, intent, addresses, user_name FROM rm_asked_run",
         "SELECT source, file_name FROM rm_source_file",
         "SELECT user_id, language, zone, theme, start_page, refresh_s, single_keys FROM rm_user_settings",
         "SELECT id, cluster_id, host_change FROM ej_meta",
         "SELECT slot, node, incarnation, epoch FROM ej_lease",
         "SELECT id, namespace, name, job_group, kind, handler, total, schedule_type, host_order, props, version, status, "
         "source, content_hash FROM ej_job",
         "SELECT job, next_ms, last_ms, revision FROM ej_schedule",
         "SELECT job, item, fence, state, run, host, host_inc, attempt, missed, flags, lease_ms, "
         "cancel_run FROM ej_item",
         "SELECT job, item, fence, value FROM ej_cursor",
         "SELECT job, version, members, total, assignment, at_ms FROM ej_plan",
         "SELECT job, fire_ms, source, request, plan_version, config_version, state, expected, dropped, param FROM ej_fire",
         "SELECT id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc, granted_ms, started_ms, "
         "ended_ms, state, message FROM ej_run",
         "SELECT num, id, app_name, incarnation, ended_inc, process, folder, boot, pid, pid_ns, start_ticks, ip, labels, "
         "capacity, state, mode, keeper, keeper_inc, keeper_no, change_no FROM ej_node",
         "SELECT namespace, job, server, set_by, set_ms FROM ej_server",
         "SELECT id, job, item, policy, param, at_ms FROM ej_request",
         "SELECT request, item, job FROM ej_request_item",
         "SELECT run, fence, outcome FROM ej_inbox",
         "SELECT id, cause, job, item, run, fire_ms, amount, at_ms, state, node, incarnation FROM ej_alarm",
         "SELECT job, item, at_ms, told, recovered FROM ej_alarm_open",
         "SELECT auto_id, id, job_name, task_id, hostname, ip, sharding_item, execution_source, failure_cause, is_success, "
         "start_time, complete_time FROM job_execution_log",
         "SELECT auto_id, id, job_name, original_task_id, task_id, slave_id, execution_type, sharding_item, state, message, "
         "creation_time FROM job_status_trace_log",
         "SELECT number, name FROM rm_migration",
       })
    CHECK_NOTHROW((void)db->query(sql));
}

TEST_CASE("an id is never reused", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto insert = [&] { db->exec("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 1, 0, 0)"); };
  insert();
  insert();
  auto last = db->value("SELECT max(id) FROM xxl_job_log");
  db->exec("DELETE FROM xxl_job_log");
  insert();
  CHECK(std::stoll(db->value("SELECT max(id) FROM xxl_job_log")) > std::stoll(last));
}

TEST_CASE("a schema that a newer release wrote is refused", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  db->exec("INSERT INTO rm_migration (number, name) VALUES (999, 'of_the_future')");
  CHECK(error_of(db->database().pending_migrations()) == core::errc::unsupported);
  CHECK(error_of(db->database().migrate()) == core::errc::unsupported);
  CHECK(error_of(db->database().open()) == core::errc::unsupported);
}

TEST_CASE("an older schema cannot be opened until it is migrated", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  for (const char* name : {"job_execution_log", "job_status_trace_log", "ej_execution_log", "ej_status_trace_log"})
    db->exec(std::string{"DROP VIEW "} + name);
  for (const char* name :
       {"rm_schedule",  "rm_edit",        "rm_node",        "rm_claim",       "rm_intent",        "rm_failed_run", "rm_job_ext",
        "rm_group_ext", "rm_deploy",      "rm_mode",        "rm_asked_run",   "rm_alarm",         "rm_alarm_open", "rm_mirror",
        "rm_session",   "rm_group_right", "rm_group_token", "rm_api_key",     "rm_audit",         "rm_kept_log",   "rm_run_log",
        "rm_life",      "rm_shown_token", "rm_stop",        "rm_source_file", "rm_user_settings", "ej_meta",       "ej_lease",
        "ej_job",       "ej_schedule",    "ej_item",        "ej_cursor",      "ej_plan",          "ej_fire",       "ej_run",
        "ej_node",      "ej_server",      "ej_request",     "ej_request_item", "ej_inbox",       "ej_alarm",
        "ej_alarm_open"})
    db->exec(std::string{"DROP TABLE "} + name);
  db->exec("DELETE FROM rm_migration WHERE number > 1");
  // Existing jobs keep their next time.
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_status, trigger_next_time, trigger_last_time) "
           "VALUES (5, 1, 'x', 'BEAN', 1, 777, 666)");
  db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_status, trigger_next_time, trigger_last_time) "
           "VALUES (6, 1, 'x', 'BEAN', 0, 888, 0)");
  auto pending = require(db->database().pending_migrations());
  REQUIRE(pending.size() == storage::sqlite_migrations().size() - 1);
  CHECK(pending[0].number == 2);
  CHECK(pending[1].number == 3);
  CHECK_FALSE(pending[0].statements.empty());
  CHECK(error_of(db->database().open()) == core::errc::unsupported);
  require(db->database().migrate());
  CHECK(require(db->database().pending_migrations()).empty());
  CHECK(db->query("SELECT job, next_ms, last_ms FROM rm_schedule ORDER BY job") == table{{"5", "777", "666"}, {"6", "0", "0"}});
  require(db->open()->ping());
}

TEST_CASE("a table of ElasticJob keeps its name", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  for (const char* statement :
       {"DROP VIEW job_execution_log", "DROP VIEW job_status_trace_log", "DROP VIEW ej_execution_log",
        "DROP VIEW ej_status_trace_log", "CREATE TABLE JOB_EXECUTION_LOG (mine INT)", "INSERT INTO JOB_EXECUTION_LOG VALUES (5)",
        "DELETE FROM rm_migration WHERE number = 23"})
    db->exec(statement);
  require(db->database().migrate());
  CHECK(db->value("SELECT mine FROM JOB_EXECUTION_LOG") == "5");
  CHECK(db->value("SELECT COUNT(*) FROM ej_execution_log") == "0");
  CHECK(db->value("SELECT COUNT(*) FROM job_status_trace_log") == "0");
}

TEST_CASE("a schema without kept logs gets them, and its jobs stay unchanged", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  db->exec("INSERT INTO rm_job_ext (job, on_unknown, jitter_ms) VALUES (5, 'skip', 7)");
  for (const char* statement : {"DROP TABLE rm_kept_log", "DROP TABLE rm_run_log", "ALTER TABLE rm_job_ext DROP COLUMN keep_logs",
                                "DELETE FROM rm_migration WHERE number = 9"})
    db->exec(statement);
  CHECK(error_of(db->database().open()) == core::errc::unsupported);
  REQUIRE(require(db->database().pending_migrations()).size() == 1);
  require(db->database().migrate());
  CHECK(db->query("SELECT on_unknown, jitter_ms, keep_logs FROM rm_job_ext") == table{{"skip", "7", "NULL"}});
  require(db->open()->ping());
}

TEST_CASE("steps are numbered upwards from 1, alike in both backends", "[storage]") {
  auto steps = storage::sqlite_migrations();
  CHECK(steps.front().number == 1);
  for (std::size_t i = 1; i < steps.size(); ++i)
    CHECK(steps[i].number > steps[i - 1].number);
  auto others = storage::mysql_migrations();
  REQUIRE(others.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(others[i].number == steps[i].number);
    CHECK(others[i].name == steps[i].name);
  }
}

TEST_CASE("missing steps run in order, unknown ones are refused", "[storage]") {
  std::vector<migration_step> known{{1, "a", {}}, {2, "b", {}}, {3, "c", {}}};
  auto numbers = [](const std::vector<migration_step>& steps) {
    std::vector<int> list;
    for (const auto& step : steps)
      list.push_back(step.number);
    return list;
  };
  CHECK(numbers(require(storage::steps_to_run(known, {}))) == std::vector<int>{1, 2, 3});
  CHECK(numbers(require(storage::steps_to_run(known, std::vector<int>{1}))) == std::vector<int>{2, 3});
  // A gap (a step that came with a patch release) is filled.
  CHECK(numbers(require(storage::steps_to_run(known, std::vector<int>{3, 1}))) == std::vector<int>{2});
  CHECK(error_of(storage::steps_to_run(known, std::vector<int>{1, 2, 3, 4})) == core::errc::unsupported);
}

TEST_CASE("every backend of this build is tested or reports why not", "[storage]") {
  auto backend = GENERATE(from_range(all_backends()));
  if (auto reason = backend.unavailable_reason())
    skip(backend.name + ": " + *reason);
}
