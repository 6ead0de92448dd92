#include "storage/migrations.hpp"

#include "storage/rows/elastic_tables.hpp"
#include "storage/rows/elastic_views.hpp"

namespace ringmaster::storage {

namespace {

// XXL's eight tables as in its newest released schema (XXL admin §2), with the lean index profile of the log. Declared widths are
// documentation: SQLite does not enforce them, `core/columns.hpp` does. AUTOINCREMENT, because an id must never be reused: a late
// result of a deleted run would find another run's row.
migration_step xxl_tables() {
  return {1,
          "xxl_tables",
          {
            R"(CREATE TABLE xxl_job_info (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
  glue_source TEXT,
  glue_remark VARCHAR(128),
  glue_updatetime DATETIME,
  child_jobid VARCHAR(255),
  trigger_status TINYINT NOT NULL DEFAULT 0,
  trigger_last_time BIGINT NOT NULL DEFAULT 0,
  trigger_next_time BIGINT NOT NULL DEFAULT 0
))",
            R"(CREATE TABLE xxl_job_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
  alarm_status TINYINT NOT NULL DEFAULT 0
))",
            "CREATE INDEX I_jobid ON xxl_job_log (job_id)",
            R"(CREATE TABLE xxl_job_log_report (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trigger_day DATETIME,
  running_count INT NOT NULL DEFAULT 0,
  suc_count INT NOT NULL DEFAULT 0,
  fail_count INT NOT NULL DEFAULT 0,
  update_time DATETIME
))",
            "CREATE UNIQUE INDEX i_trigger_day ON xxl_job_log_report (trigger_day)",
            R"(CREATE TABLE xxl_job_logglue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INT NOT NULL,
  glue_type VARCHAR(50),
  glue_source TEXT,
  glue_remark VARCHAR(128) NOT NULL,
  add_time DATETIME,
  update_time DATETIME
))",
            R"(CREATE TABLE xxl_job_registry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  registry_group VARCHAR(50) NOT NULL,
  registry_key VARCHAR(255) NOT NULL,
  registry_value VARCHAR(255) NOT NULL,
  update_time DATETIME
))",
            "CREATE UNIQUE INDEX i_g_k_v ON xxl_job_registry (registry_group, registry_key, registry_value)",
            R"(CREATE TABLE xxl_job_group (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  app_name VARCHAR(64) NOT NULL,
  title VARCHAR(64) NOT NULL,
  address_type TINYINT NOT NULL DEFAULT 0,
  address_list TEXT,
  update_time DATETIME
))",
            R"(CREATE TABLE xxl_job_user (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username VARCHAR(50) NOT NULL,
  password VARCHAR(100) NOT NULL,
  token VARCHAR(100),
  role TINYINT NOT NULL,
  permission VARCHAR(255)
))",
            "CREATE UNIQUE INDEX i_username ON xxl_job_user (username)",
            "CREATE TABLE xxl_job_lock (lock_name VARCHAR(50) NOT NULL PRIMARY KEY)",
            "INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')",
          }};
}

// Ringmaster's tables (firing protocol §2). Columns that end in _ms are epoch milliseconds, 0 for none.
migration_step ringmaster_tables() {
  return {2,
          "ringmaster_tables",
          {
            R"(CREATE TABLE rm_schedule (
  job INTEGER PRIMARY KEY,
  next_ms BIGINT NOT NULL DEFAULT 0,
  last_ms BIGINT NOT NULL DEFAULT 0,
  revision BIGINT NOT NULL DEFAULT 0
))",
            "CREATE INDEX rm_schedule_revision ON rm_schedule (revision)",
            "CREATE TABLE rm_edit (id INTEGER PRIMARY KEY, counter BIGINT NOT NULL)",
            "INSERT INTO rm_edit (id, counter) VALUES (1, 0)",
            R"(CREATE TABLE rm_node (
  id VARCHAR(64) NOT NULL PRIMARY KEY,
  incarnation BIGINT NOT NULL,
  beat BIGINT NOT NULL,
  state VARCHAR(10) NOT NULL,
  address VARCHAR(255) NOT NULL,
  connections VARCHAR(255) NOT NULL DEFAULT ''
) WITHOUT ROWID)",
            R"(CREATE TABLE rm_claim (
  node VARCHAR(64) NOT NULL,
  incarnation BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  maybe_sent TINYINT NOT NULL,
  first_log_id BIGINT NOT NULL,
  items BLOB NOT NULL,
  PRIMARY KEY (node, incarnation, seq)
))",
            // shard_total 0: not a broadcast. node and incarnation: the owner, once state is 1.
            R"(CREATE TABLE rm_intent (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
  created_ms BIGINT NOT NULL
))",
            "CREATE UNIQUE INDEX rm_intent_once ON rm_intent (job, kind, fire_ms, origin_log_id, shard)",
            "CREATE INDEX rm_intent_state ON rm_intent (state, created_ms)",
            "CREATE TABLE rm_failed_run (log_id INTEGER PRIMARY KEY, job INT NOT NULL, fire_ms BIGINT NOT NULL)",
            R"(CREATE TABLE rm_job_ext (
  job INTEGER PRIMARY KEY,
  source VARCHAR(128),
  job_key VARCHAR(128),
  content_hash VARCHAR(64),
  on_unknown VARCHAR(10)
))",
            "CREATE TABLE rm_group_ext (group_id INTEGER PRIMARY KEY, source VARCHAR(128) NOT NULL)",
            "CREATE TABLE rm_deploy (source VARCHAR(128) NOT NULL PRIMARY KEY, revision BIGINT NOT NULL) WITHOUT ROWID",
            // Existing jobs keep their next times.
            R"(INSERT INTO rm_schedule (job, next_ms, last_ms)
  SELECT id, CASE trigger_status WHEN 1 THEN trigger_next_time ELSE 0 END, trigger_last_time FROM xxl_job_info)",
          }};
}

// Options of a job's schedule (start_at and end_at: epoch milliseconds), and manual runs: the addresses that an intent requests,
// and its runs.
migration_step job_options() {
  return {3,
          "job_options",
          {
            "ALTER TABLE rm_job_ext ADD COLUMN time_zone VARCHAR(64)",
            "ALTER TABLE rm_job_ext ADD COLUMN interval_ms BIGINT",
            "ALTER TABLE rm_job_ext ADD COLUMN start_at BIGINT",
            "ALTER TABLE rm_job_ext ADD COLUMN end_at BIGINT",
            "ALTER TABLE rm_job_ext ADD COLUMN jitter_ms BIGINT",
            "ALTER TABLE rm_intent ADD COLUMN addresses TEXT",
            "CREATE TABLE rm_asked_run (log_id INTEGER PRIMARY KEY, intent BIGINT NOT NULL, addresses TEXT)",
            "CREATE INDEX rm_asked_run_intent ON rm_asked_run (intent)",
          }};
}

// Rules for notifications (`[[alarm]]` of the files), and jobs whose next success is to be reported.
migration_step alarm_tables() {
  return {4,
          "alarm_tables",
          {
            R"(CREATE TABLE rm_alarm (
  rule_key VARCHAR(128) NOT NULL PRIMARY KEY,
  source VARCHAR(128) NOT NULL,
  app_name VARCHAR(64) NOT NULL,
  job_key VARCHAR(128) NOT NULL,
  channels TEXT NOT NULL,
  mail_to TEXT NOT NULL,
  attempts VARCHAR(20) NOT NULL,
  dedup_ms BIGINT,
  recovered TINYINT NOT NULL
) WITHOUT ROWID)",
            "CREATE TABLE rm_alarm_open (job INTEGER PRIMARY KEY, log_id BIGINT NOT NULL)",
          }};
}

// Partitions of the log exist on MySQL only: here old runs are removed row by row.
migration_step log_parts() { return {5, "log_parts", {}}; }

// The state of XXL's rows at the last check, so that an edit by another program is noticed (firing protocol §7.3).
migration_step mirror_table() {
  return {7, "mirror", {R"(CREATE TABLE rm_mirror (
  job INTEGER PRIMARY KEY,
  revision BIGINT NOT NULL,
  status INT NOT NULL,
  schedule_type VARCHAR(50) NOT NULL,
  schedule_conf VARCHAR(128) NOT NULL,
  update_time VARCHAR(30) NOT NULL
))"}};
}

// Columns as on MySQL. No other program plans on a file, so its mode is always native.
migration_step modes() {
  return {6,
          "modes",
          {
            "CREATE TABLE rm_mode (id INTEGER PRIMARY KEY, mode VARCHAR(10) NOT NULL, wanted VARCHAR(10),"
            " wanted_at BIGINT NOT NULL DEFAULT 0)",
            "INSERT INTO rm_mode (id, mode) VALUES (1, 'native')",
            "ALTER TABLE rm_intent ADD COLUMN schedule VARCHAR(190)",
          }};
}

// Accounts in addition to XXL's rows of users, and the audit log. Times are epoch milliseconds.
migration_step access_tables() {
  return {8,
          "access",
          {
            R"(CREATE TABLE rm_session (
  digest VARCHAR(64) NOT NULL PRIMARY KEY,
  user_id INT NOT NULL,
  password_mark VARCHAR(64) NOT NULL,
  opened_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  lifetime_ms BIGINT NOT NULL,
  remote VARCHAR(64) NOT NULL
) WITHOUT ROWID)",
            "CREATE INDEX rm_session_user ON rm_session (user_id)",
            "CREATE INDEX rm_session_expires ON rm_session (expires_ms)",
            R"(CREATE TABLE rm_group_right (
  user_id INT NOT NULL,
  group_id INT NOT NULL,
  right_name VARCHAR(10) NOT NULL,
  PRIMARY KEY (user_id, group_id)
) WITHOUT ROWID)",
            R"(CREATE TABLE rm_group_token (
  group_id INTEGER PRIMARY KEY,
  token VARCHAR(100) NOT NULL,
  previous VARCHAR(100) NOT NULL,
  previous_until_ms BIGINT NOT NULL
))",
            R"(CREATE TABLE rm_api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name VARCHAR(64) NOT NULL,
  digest VARCHAR(64) NOT NULL UNIQUE,
  user_id INT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  used_ms BIGINT NOT NULL
))",
            "CREATE INDEX rm_api_key_user ON rm_api_key (user_id)",
            R"(CREATE TABLE rm_audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms BIGINT NOT NULL,
  user_id INT NOT NULL,
  user_name VARCHAR(64) NOT NULL,
  remote VARCHAR(64) NOT NULL,
  action VARCHAR(20) NOT NULL,
  object VARCHAR(20) NOT NULL,
  object_id BIGINT NOT NULL,
  object_name VARCHAR(255) NOT NULL,
  changes TEXT NOT NULL
))",
            "CREATE INDEX rm_audit_object ON rm_audit (object, object_id)",
            "CREATE INDEX rm_audit_at ON rm_audit (at_ms)",
            // Index for pages of jobs of some groups.
            "CREATE INDEX IF NOT EXISTS rm_job_group ON xxl_job_info (job_group)",
          }};
}

// Logs of finished runs that outlive their executors (option keep_logs). state 0: to be fetched, 1: kept, 2: to be removed; the
// index also gives their total size.
migration_step kept_logs() {
  return {9,
          "kept_logs",
          {
            "ALTER TABLE rm_job_ext ADD COLUMN keep_logs TINYINT",
            R"(CREATE TABLE rm_kept_log (
  log_id INTEGER PRIMARY KEY,
  job INT NOT NULL,
  state TINYINT NOT NULL,
  bytes BIGINT NOT NULL,
  is_cut TINYINT NOT NULL,
  at_ms BIGINT NOT NULL
))",
            "CREATE INDEX rm_kept_log_state ON rm_kept_log (state, log_id, bytes)",
            R"(CREATE TABLE rm_run_log (
  log_id BIGINT NOT NULL,
  piece INT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (log_id, piece)
))",
          }};
}

// Columns as on MySQL, where claims lock the row. incarnation 0: no current incarnation. cut: the last incarnation that
// was ended before its deadline; ran_out: the last that was fenced after it.
migration_step life_table() {
  return {10,
          "lives",
          {
            R"(CREATE TABLE rm_life (
  node VARCHAR(64) NOT NULL PRIMARY KEY,
  incarnation BIGINT NOT NULL,
  process VARCHAR(128) NOT NULL DEFAULT '',
  cut BIGINT NOT NULL DEFAULT 0,
  ran_out BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID)",
          }};
}

// Staged rows of an apply exist on MySQL only: here its one transaction is short enough.
migration_step deploy_stages() { return {11, "deploy_stages", {}}; }

// The clock of each node at its last heartbeat, for other nodes to compare.
migration_step node_clocks() {
  return {12, "node_clocks", {"ALTER TABLE rm_node ADD COLUMN wall_ms BIGINT NOT NULL DEFAULT 0"}};
}

// The token that an executor showed last, if it is not its group's: every node must know it before it calls the executor.
migration_step shown_tokens() {
  return {13,
          "shown_tokens",
          {
            R"(CREATE TABLE rm_shown_token (
  registry_key VARCHAR(255) NOT NULL,
  registry_value VARCHAR(255) NOT NULL,
  token VARCHAR(10) NOT NULL,
  PRIMARY KEY (registry_key, registry_value)
) WITHOUT ROWID)",
          }};
}

// Instants that the misfire policy dropped: the last one of a job, and the last sent one while it is older. Also the ends of its
// runs for which a job wants alarms.
migration_step missed_instants() {
  return {14,
          "missed_instants",
          {
            "ALTER TABLE rm_schedule ADD COLUMN sent_ms BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE rm_schedule ADD COLUMN missed_ms BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE rm_job_ext ADD COLUMN alarm_on VARCHAR(20)",
          }};
}

// Jobs that a user stopped: an apply leaves them stopped.
migration_step manual_stops() {
  return {16,
          "manual_stops",
          {"CREATE TABLE rm_stop (job INTEGER PRIMARY KEY, user_name VARCHAR(64) NOT NULL, at_ms BIGINT NOT NULL)"}};
}

// The files of a source's applies: prune does not take a part of them for the whole.
migration_step source_files() {
  return {17,
          "source_files",
          {"CREATE TABLE rm_source_file (source VARCHAR(128) NOT NULL, file_name VARCHAR(255) NOT NULL, "
           "PRIMARY KEY (source, file_name)) WITHOUT ROWID"}};
}

migration_step descriptions() {
  return {18, "descriptions", {"ALTER TABLE rm_job_ext ADD COLUMN description TEXT"}};
}

// Values of changes that the lines of the audit log do not tell, and an index that leads to the rows of one action.
migration_step audit_values() {
  return {19,
          "audit_values",
          {"ALTER TABLE rm_audit ADD COLUMN field_values TEXT",
           "CREATE INDEX rm_audit_action ON rm_audit (object, object_id, action)"}};
}

// Settings of the console by user. NULL: the console's default.
migration_step user_settings() {
  return {20,
          "user_settings",
          {
            R"(CREATE TABLE rm_user_settings (
  user_id INTEGER PRIMARY KEY,
  language VARCHAR(10),
  zone VARCHAR(10),
  theme VARCHAR(10),
  start_page VARCHAR(255),
  refresh_s INT,
  single_keys TINYINT
))",
          }};
}

// The user who asked for a run. It stays with the run after its request is forgotten.
migration_step requesters() {
  return {21,
          "requesters",
          {"ALTER TABLE rm_intent ADD COLUMN user_name VARCHAR(64)",
           "ALTER TABLE rm_asked_run ADD COLUMN user_name VARCHAR(64)"}};
}

void add_elastic_table(std::vector<std::string>& to, const elastic_table& made) {
  auto text =
    "CREATE TABLE " + made.name + " (\n" + columns_of(made, {"INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT", "BLOB"});
  if (!made.primary_key.empty())
    text += ",\n  PRIMARY KEY (" + made.primary_key + ")";
  for (const auto& columns : made.unique)
    text += ",\n  UNIQUE (" + columns + ")";
  to.push_back(text + (made.primary_key.empty() ? ")" : ") WITHOUT ROWID"));
  for (const auto& columns : made.indexed)
    to.push_back("CREATE INDEX " + made.name + "_" + columns.substr(0, columns.find(',')) + " ON " + made.name + " (" + columns +
                 ")");
}

// Elastic jobs: their leases, definitions, items, runs and hosts.
migration_step elastic_jobs() {
  migration_step step{22, "elastic_jobs", {}};
  for (const auto& made : elastic_tables())
    add_elastic_table(step.statements, made);
  for (auto& rows : elastic_first_rows("OR IGNORE"))
    step.statements.push_back(std::move(rows));
  step.statements.push_back("ALTER TABLE rm_alarm ADD COLUMN kinds VARCHAR(64)");
  return step;
}

// ElasticJob's tables for the history of runs, as views. A table of that name stays. Times are in UTC.
migration_step elastic_histories() {
  migration_step step{23, "elastic_histories", {}};
  for (const auto& view : elastic_views({"TEXT", "strftime('%Y-%m-%d %H:%M:%f', # / 1000.0, 'unixepoch')", "(", " || ", ")"})) {
    step.statements.push_back("CREATE VIEW " + view.name + " AS " + view.text);
    step.statements.push_back("CREATE VIEW IF NOT EXISTS " + view.alias + " AS SELECT * FROM " + view.name);
  }
  return step;
}

// A node that has just entered or is about to leave has no slots. Earlier releases ignore the column.
migration_step serving_nodes() {
  return {24, "serving_nodes", {"ALTER TABLE rm_node ADD COLUMN serves TINYINT NOT NULL DEFAULT 1"}};
}

} // namespace

std::span<const migration_step> sqlite_migrations() {
  static const std::vector<migration_step> steps{xxl_tables(),   ringmaster_tables(), job_options(), alarm_tables(),
                                                 log_parts(),    modes(),             mirror_table(), access_tables(),
                                                 kept_logs(),    life_table(),        deploy_stages(), node_clocks(),
                                                 shown_tokens(), missed_instants(),   manual_stops(), source_files(),
                                                 descriptions(), audit_values(), user_settings(), requesters(),
                                                 elastic_jobs(),  elastic_histories(), serving_nodes()};
  return steps;
}

} // namespace ringmaster::storage
