#include "storage/migrations.hpp"

#include <string>

#include "storage/mysql/schema/migration_sql.hpp"

namespace ringmaster::storage {

namespace {

using mysql::add_conditional;
using mysql::table;

// XXL's eight tables as in its newest released schema (XXL admin §2). The log table has the lean index profile: the indexes on
// codes and times would cost half of the firing path's performance, and Ringmaster reads none of them.
migration_step xxl_tables() {
  return {1,
          "xxl_tables",
          {
            table("xxl_job_info", R"(  id INT NOT NULL AUTO_INCREMENT,
  job_group INT NOT NULL,
  job_desc VARCHAR(255) NOT NULL,
  add_time DATETIME,
  update_time DATETIME,
  author VARCHAR(64),
  alarm_email VARCHAR(255),
  schedule_type VARCHAR(50) NOT NULL DEFAULT 'NONE',
  schedule_conf VARCHAR(128),
  misfire_strategy VARCHAR(50) NOT NULL DEFAULT 'DO_NOTHING',
  executor_route_strategy VARCHAR(50),
  executor_handler VARCHAR(255),
  executor_param TEXT,
  executor_block_strategy VARCHAR(50),
  executor_timeout INT NOT NULL DEFAULT 0,
  executor_fail_retry_count INT NOT NULL DEFAULT 0,
  glue_type VARCHAR(50) NOT NULL,
  glue_source MEDIUMTEXT,
  glue_remark VARCHAR(128),
  glue_updatetime DATETIME,
  child_jobid VARCHAR(255),
  trigger_status TINYINT NOT NULL DEFAULT 0,
  trigger_last_time BIGINT NOT NULL DEFAULT 0,
  trigger_next_time BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id))"),
            table("xxl_job_log", R"(  id BIGINT NOT NULL AUTO_INCREMENT,
  job_group INT NOT NULL,
  job_id INT NOT NULL,
  executor_address VARCHAR(255),
  executor_handler VARCHAR(255),
  executor_param TEXT,
  executor_sharding_param VARCHAR(20),
  executor_fail_retry_count INT NOT NULL DEFAULT 0,
  trigger_time DATETIME,
  trigger_code INT NOT NULL,
  trigger_msg TEXT,
  handle_time DATETIME,
  handle_code INT NOT NULL,
  handle_msg TEXT,
  alarm_status TINYINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  KEY I_jobid (job_id))"),
            table("xxl_job_log_report", R"(  id INT NOT NULL AUTO_INCREMENT,
  trigger_day DATETIME,
  running_count INT NOT NULL DEFAULT 0,
  suc_count INT NOT NULL DEFAULT 0,
  fail_count INT NOT NULL DEFAULT 0,
  update_time DATETIME,
  PRIMARY KEY (id),
  UNIQUE KEY i_trigger_day (trigger_day))"),
            table("xxl_job_logglue", R"(  id INT NOT NULL AUTO_INCREMENT,
  job_id INT NOT NULL,
  glue_type VARCHAR(50),
  glue_source MEDIUMTEXT,
  glue_remark VARCHAR(128) NOT NULL,
  add_time DATETIME,
  update_time DATETIME,
  PRIMARY KEY (id))"),
            table("xxl_job_registry", R"(  id BIGINT NOT NULL AUTO_INCREMENT,
  registry_group VARCHAR(50) NOT NULL,
  registry_key VARCHAR(255) NOT NULL,
  registry_value VARCHAR(255) NOT NULL,
  update_time DATETIME,
  PRIMARY KEY (id),
  UNIQUE KEY i_g_k_v (registry_group, registry_key, registry_value))"),
            table("xxl_job_group", R"(  id INT NOT NULL AUTO_INCREMENT,
  app_name VARCHAR(64) NOT NULL,
  title VARCHAR(64) NOT NULL,
  address_type TINYINT NOT NULL DEFAULT 0,
  address_list TEXT,
  update_time DATETIME,
  PRIMARY KEY (id))"),
            table("xxl_job_user", R"(  id INT NOT NULL AUTO_INCREMENT,
  username VARCHAR(50) NOT NULL,
  password VARCHAR(100) NOT NULL,
  token VARCHAR(100),
  role TINYINT NOT NULL,
  permission VARCHAR(255),
  PRIMARY KEY (id),
  UNIQUE KEY i_username (username))"),
            table("xxl_job_lock", R"(  lock_name VARCHAR(50) NOT NULL,
  PRIMARY KEY (lock_name))"),
            "INSERT IGNORE INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')",
          }};
}

// Ringmaster's tables (firing protocol §2). Columns that end in _ms are epoch milliseconds, 0 for none.
migration_step ringmaster_tables() {
  return {2,
          "ringmaster_tables",
          {
            table("rm_schedule", R"(  job INT NOT NULL,
  next_ms BIGINT NOT NULL DEFAULT 0,
  last_ms BIGINT NOT NULL DEFAULT 0,
  revision BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (job),
  KEY rm_schedule_revision (revision))"),
            table("rm_edit", R"(  id INT NOT NULL,
  counter BIGINT NOT NULL,
  PRIMARY KEY (id))"),
            "INSERT IGNORE INTO rm_edit (id, counter) VALUES (1, 0)",
            table("rm_node", R"(  id VARCHAR(64) NOT NULL,
  incarnation BIGINT NOT NULL,
  beat BIGINT NOT NULL,
  state VARCHAR(10) NOT NULL,
  address VARCHAR(255) NOT NULL,
  connections TEXT NOT NULL,
  PRIMARY KEY (id))"),
            table("rm_claim", R"(  node VARCHAR(64) NOT NULL,
  incarnation BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  maybe_sent TINYINT NOT NULL,
  first_log_id BIGINT NOT NULL,
  items MEDIUMBLOB NOT NULL,
  PRIMARY KEY (node, incarnation, seq))"),
            // shard_total 0: not a broadcast. node and incarnation: the owner, once state is 1.
            table("rm_intent", R"(  id BIGINT NOT NULL AUTO_INCREMENT,
  kind VARCHAR(10) NOT NULL,
  job INT NOT NULL,
  fire_ms BIGINT NOT NULL,
  origin_log_id BIGINT NOT NULL,
  shard INT NOT NULL,
  shard_total INT NOT NULL,
  param TEXT,
  retry_left INT NOT NULL,
  state TINYINT NOT NULL DEFAULT 0,
  node VARCHAR(64),
  incarnation BIGINT,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY rm_intent_once (job, kind, fire_ms, origin_log_id, shard),
  KEY rm_intent_state (state, created_ms))"),
            table("rm_failed_run", R"(  log_id BIGINT NOT NULL,
  job INT NOT NULL,
  fire_ms BIGINT NOT NULL,
  PRIMARY KEY (log_id))"),
            table("rm_job_ext", R"(  job INT NOT NULL,
  source VARCHAR(128),
  job_key VARCHAR(128),
  content_hash VARCHAR(64),
  on_unknown VARCHAR(10),
  PRIMARY KEY (job))"),
            table("rm_group_ext", R"(  group_id INT NOT NULL,
  source VARCHAR(128) NOT NULL,
  PRIMARY KEY (group_id))"),
            table("rm_deploy", R"(  source VARCHAR(128) NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (source))"),
            // Existing jobs keep their next times.
            R"(INSERT IGNORE INTO rm_schedule (job, next_ms, last_ms)
  SELECT id, CASE trigger_status WHEN 1 THEN trigger_next_time ELSE 0 END, trigger_last_time FROM xxl_job_info)",
          }};
}

// Options of a job's schedule (start_at and end_at: epoch milliseconds), and manual runs: the addresses that an intent requests,
// and its runs. A table gets its columns in one statement: all of them, or none.
migration_step job_options() {
  return {3,
          "job_options",
          {
            "ALTER TABLE rm_job_ext ADD COLUMN time_zone VARCHAR(64), ADD COLUMN interval_ms BIGINT, ADD COLUMN start_at BIGINT,"
            " ADD COLUMN end_at BIGINT, ADD COLUMN jitter_ms BIGINT",
            "ALTER TABLE rm_intent ADD COLUMN addresses TEXT",
            table("rm_asked_run", R"(  log_id BIGINT NOT NULL,
  intent BIGINT NOT NULL,
  addresses TEXT,
  PRIMARY KEY (log_id),
  KEY rm_asked_run_intent (intent))"),
          }};
}

// Rules for notifications (`[[alarm]]` of the files), and jobs whose next success is to be reported.
migration_step alarm_tables() {
  return {4,
          "alarm_tables",
          {
            table("rm_alarm", R"(  rule_key VARCHAR(128) NOT NULL,
  source VARCHAR(128) NOT NULL,
  app_name VARCHAR(64) NOT NULL,
  job_key VARCHAR(128) NOT NULL,
  channels TEXT NOT NULL,
  mail_to TEXT NOT NULL,
  attempts VARCHAR(20) NOT NULL,
  dedup_ms BIGINT,
  recovered TINYINT NOT NULL,
  PRIMARY KEY (rule_key))"),
            table("rm_alarm_open", R"(  job INT NOT NULL,
  log_id BIGINT NOT NULL,
  PRIMARY KEY (job))"),
          }};
}

// Our own log is partitioned by a million ids, so that old runs are removed by dropping a partition (`partitions.hpp`). A log
// that XXL-JOB made has its indexes on times and codes and stays unchanged. Existing rows become the first partition.
migration_step log_parts() {
  return {5,
          "log_parts",
          {
            R"(SET @ringmaster_ours = (SELECT COUNT(*) = 0 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()
  AND TABLE_NAME = 'xxl_job_log' AND COLUMN_NAME IN ('trigger_time', 'handle_code'))
  AND (SELECT COUNT(*) = 0 FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE()
  AND TABLE_NAME = 'xxl_job_log' AND PARTITION_NAME IS NOT NULL))",
            "SET @ringmaster_part = (SELECT COALESCE(MAX(id), 0) DIV 1000000 + 1 FROM xxl_job_log)",
            R"(SET @ringmaster_step = IF(@ringmaster_ours, CONCAT('ALTER TABLE xxl_job_log PARTITION BY RANGE (id) (PARTITION p',
  @ringmaster_part, ' VALUES LESS THAN (', @ringmaster_part * 1000000 + 1, '), PARTITION p',
  @ringmaster_part + 1, ' VALUES LESS THAN (', (@ringmaster_part + 1) * 1000000 + 1, '), PARTITION p',
  @ringmaster_part + 2, ' VALUES LESS THAN (', (@ringmaster_part + 2) * 1000000 + 1, '),
  PARTITION p_max VALUES LESS THAN MAXVALUE)'),
  'DO 0'))",
            "PREPARE ringmaster_step FROM @ringmaster_step",
            "EXECUTE ringmaster_step",
            "DEALLOCATE PREPARE ringmaster_step",
          }};
}

// The state of XXL's rows at the last check, so that an edit by another program is noticed (firing protocol §7.3).
migration_step mirror_table() {
  return {7, "mirror", {table("rm_mirror", R"(  job INT NOT NULL,
  revision BIGINT NOT NULL,
  status INT NOT NULL,
  schedule_type VARCHAR(50) NOT NULL,
  schedule_conf VARCHAR(128) NOT NULL,
  update_time VARCHAR(30) NOT NULL,
  PRIMARY KEY (job))")}};
}

// The owner of the schedule (firing protocol §8, §9). A database whose tables XXL-JOB made begins in shared mode, with an index
// for due jobs; a database of our own begins in native mode, as does one that only Ringmaster has planned before.
migration_step modes() {
  migration_step step{6, "modes", {}};
  step.statements.push_back(table("rm_mode", R"(  id INT NOT NULL,
  mode VARCHAR(10) NOT NULL,
  wanted VARCHAR(10),
  wanted_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id))"));
  step.statements.push_back("INSERT IGNORE INTO rm_mode (id, mode) SELECT 1, IF((SELECT COUNT(*) FROM rm_migration"
                            " WHERE name = 'xxl_tables') = 1, 'native', 'shared')");
  // The schedule of a reserved instant.
  add_conditional(step.statements,
                  "SELECT COUNT(*) = 0 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'rm_intent' AND COLUMN_NAME = 'schedule'",
                  "ALTER TABLE rm_intent ADD COLUMN schedule VARCHAR(190)");
  add_conditional(step.statements,
                  "SELECT (SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'xxl_job_info' AND INDEX_NAME = 'rm_due') = 0"
                  " AND (SELECT mode FROM rm_mode WHERE id = 1) = 'shared'",
                  "ALTER TABLE xxl_job_info ADD INDEX rm_due (trigger_status, trigger_next_time)");
  return step;
}

// Accounts in addition to XXL's rows of users, and the audit log. Times are epoch milliseconds.
migration_step access_tables() {
  migration_step step{8,
                      "access",
                      {
            table("rm_session", R"(  digest VARCHAR(64) NOT NULL,
  user_id INT NOT NULL,
  password_mark VARCHAR(64) NOT NULL,
  opened_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  lifetime_ms BIGINT NOT NULL,
  remote VARCHAR(64) NOT NULL,
  PRIMARY KEY (digest),
  KEY rm_session_user (user_id),
  KEY rm_session_expires (expires_ms))"),
            table("rm_group_right", R"(  user_id INT NOT NULL,
  group_id INT NOT NULL,
  right_name VARCHAR(10) NOT NULL,
  PRIMARY KEY (user_id, group_id))"),
            table("rm_group_token", R"(  group_id INT NOT NULL,
  token VARCHAR(100) NOT NULL,
  previous VARCHAR(100) NOT NULL,
  previous_until_ms BIGINT NOT NULL,
  PRIMARY KEY (group_id))"),
            table("rm_api_key", R"(  id BIGINT NOT NULL AUTO_INCREMENT,
  name VARCHAR(64) NOT NULL,
  digest VARCHAR(64) NOT NULL,
  user_id INT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  used_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY rm_api_key_digest (digest),
  KEY rm_api_key_user (user_id))"),
            table("rm_audit", R"(  id BIGINT NOT NULL AUTO_INCREMENT,
  at_ms BIGINT NOT NULL,
  user_id INT NOT NULL,
  user_name VARCHAR(64) NOT NULL,
  remote VARCHAR(64) NOT NULL,
  action VARCHAR(20) NOT NULL,
  object VARCHAR(20) NOT NULL,
  object_id BIGINT NOT NULL,
  object_name VARCHAR(255) NOT NULL,
  changes TEXT NOT NULL,
  PRIMARY KEY (id),
  KEY rm_audit_object (object, object_id),
  KEY rm_audit_at (at_ms))"),
                      }};
  // Index for the number of jobs, in total and of a group: counting reads a narrow index. In shared mode rm_due is one.
  add_conditional(step.statements,
                  "SELECT (SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'xxl_job_info' AND INDEX_NAME = 'rm_job_group') = 0"
                  " AND (SELECT COUNT(*) FROM rm_migration WHERE name = 'xxl_tables') = 1",
                  "ALTER TABLE xxl_job_info ADD INDEX rm_job_group (job_group)");
  return step;
}

// Logs of finished runs that outlive their executors (option keep_logs). state 0: to be fetched, 1: kept, 2: to be removed; the
// index also gives their total size.
migration_step kept_logs() {
  migration_step step{9, "kept_logs", {}};
  add_conditional(step.statements,
                  "SELECT COUNT(*) = 0 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'rm_job_ext' AND COLUMN_NAME = 'keep_logs'",
                  "ALTER TABLE rm_job_ext ADD COLUMN keep_logs TINYINT");
  step.statements.push_back(table("rm_kept_log", R"(  log_id BIGINT NOT NULL,
  job INT NOT NULL,
  state TINYINT NOT NULL,
  bytes BIGINT NOT NULL,
  is_cut TINYINT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (log_id),
  KEY rm_kept_log_state (state, log_id, bytes))"));
  step.statements.push_back(table("rm_run_log", R"(  log_id BIGINT NOT NULL,
  piece INT NOT NULL,
  text MEDIUMTEXT NOT NULL,
  PRIMARY KEY (log_id, piece))"));
  return step;
}

// The incarnation of each node that claims lock, separate from rm_node, where the heartbeat is written (firing protocol §9).
// incarnation 0: no current incarnation. cut: the last incarnation that was ended before its deadline; ran_out: the last that was
// fenced after it.
migration_step life_table() {
  return {10, "lives", {table("rm_life", R"(  node VARCHAR(64) NOT NULL,
  incarnation BIGINT NOT NULL,
  process VARCHAR(128) NOT NULL DEFAULT '',
  cut BIGINT NOT NULL DEFAULT 0,
  ran_out BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (node))")}};
}

// The changes of a large apply, before it takes effect in one transaction; `stage` is the number of its connection. In addition
// to the columns of a job: `number` is its place in the plan, `planned` whether its schedule is new.
migration_step deploy_stages() {
  return {11,
          "deploy_stages",
          {
            table("rm_stage_job", R"(  stage BIGINT NOT NULL,
  job INT NOT NULL,
  job_name VARCHAR(255) NOT NULL,
  author VARCHAR(64) NOT NULL,
  alarm_email VARCHAR(255) NOT NULL,
  schedule_type VARCHAR(50) NOT NULL,
  schedule_conf VARCHAR(128) NOT NULL,
  misfire VARCHAR(50) NOT NULL,
  route VARCHAR(50) NOT NULL,
  block VARCHAR(50) NOT NULL,
  on_unknown VARCHAR(10) NOT NULL,
  handler VARCHAR(255) NOT NULL,
  params TEXT NOT NULL,
  glue_type VARCHAR(50) NOT NULL,
  new_glue TINYINT NOT NULL,
  timeout_s INT NOT NULL,
  retry_count INT NOT NULL,
  children VARCHAR(255),
  content_hash VARCHAR(64) NOT NULL,
  time_zone VARCHAR(64),
  interval_ms BIGINT,
  start_at BIGINT,
  end_at BIGINT,
  jitter_ms BIGINT,
  keep_logs TINYINT,
  PRIMARY KEY (stage, job))"),
            table("rm_stage_schedule", R"(  stage BIGINT NOT NULL,
  job INT NOT NULL,
  number BIGINT NOT NULL,
  planned TINYINT NOT NULL,
  running TINYINT NOT NULL,
  next_ms BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  PRIMARY KEY (stage, job))"),
          }};
}

// The clock of each node at its last heartbeat, for other nodes to compare.
migration_step node_clocks() {
  migration_step step{12, "node_clocks", {}};
  add_conditional(step.statements,
                  "SELECT COUNT(*) = 0 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
                  " AND TABLE_NAME = 'rm_node' AND COLUMN_NAME = 'wall_ms'",
                  "ALTER TABLE rm_node ADD COLUMN wall_ms BIGINT NOT NULL DEFAULT 0");
  return step;
}

// The token that an executor showed last, if it is not its group's: every node must know it before it calls the executor.
migration_step shown_tokens() {
  return {13,
          "shown_tokens",
          {
            table("rm_shown_token", R"(  registry_key VARCHAR(255) NOT NULL,
  registry_value VARCHAR(255) NOT NULL,
  token VARCHAR(10) NOT NULL,
  PRIMARY KEY (registry_key, registry_value))"),
          }};
}

} // namespace

std::span<const migration_step> mysql_migrations() {
  static const std::vector<migration_step> steps = [] {
    std::vector<migration_step> out{xxl_tables(),    ringmaster_tables(), job_options(), alarm_tables(), log_parts(),
                                    modes(),         mirror_table(),      access_tables(), kept_logs(), life_table(),
                                    deploy_stages(), node_clocks(),       shown_tokens()};
    mysql::append_later_steps(out);
    return out;
  }();
  return steps;
}

} // namespace ringmaster::storage
