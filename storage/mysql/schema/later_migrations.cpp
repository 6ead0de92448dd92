#include "storage/mysql/schema/migration_sql.hpp"

#include "storage/rows/elastic_tables.hpp"
#include "storage/rows/elastic_views.hpp"

namespace ringmaster::storage::mysql {

std::string table(const std::string& name, const std::string& columns) {
  return "CREATE TABLE IF NOT EXISTS " + name + " (\n" + columns +
         "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";
}

void add_conditional(std::vector<std::string>& to, const std::string& wanted, const std::string& statement) {
  to.push_back("SET @ringmaster_step = IF((" + wanted + ") = 1, '" + statement + "', 'DO 0')");
  to.push_back("PREPARE ringmaster_step FROM @ringmaster_step");
  to.push_back("EXECUTE ringmaster_step");
  to.push_back("DEALLOCATE PREPARE ringmaster_step");
}

void add_column(std::vector<std::string>& to, const std::string& table, const std::string& column, const std::string& type) {
  add_conditional(to,
                  "SELECT COUNT(*) = 0 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '" + table
                    + "' AND COLUMN_NAME = '" + column + "'",
                  "ALTER TABLE " + table + " ADD COLUMN " + column + " " + type);
}

namespace {

// Last instant of a job that the misfire policy dropped, last sent one while it is older; ends of runs for which it wants alarms.
migration_step missed_instants() {
  migration_step step{14, "missed_instants", {}};
  add_column(step.statements, "rm_schedule", "sent_ms", "BIGINT NOT NULL DEFAULT 0");
  add_column(step.statements, "rm_schedule", "missed_ms", "BIGINT NOT NULL DEFAULT 0");
  add_column(step.statements, "rm_job_ext", "alarm_on", "VARCHAR(20)");
  add_column(step.statements, "rm_stage_job", "alarm_on", "VARCHAR(20)");
  return step;
}

// Jobs that a user stopped: an apply leaves them stopped.
migration_step manual_stops() {
  return {16, "manual_stops", {table("rm_stop", R"(  job INT NOT NULL,
  user_name VARCHAR(64) NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (job))")}};
}

// The files of a source's applies: prune does not take a part of them for the whole.
migration_step source_files() {
  return {17, "source_files", {table("rm_source_file", R"(  source VARCHAR(128) NOT NULL,
  file_name VARCHAR(255) NOT NULL,
  PRIMARY KEY (source, file_name))")}};
}

migration_step descriptions() {
  migration_step step{18, "descriptions", {}};
  add_column(step.statements, "rm_job_ext", "description", "TEXT");
  add_column(step.statements, "rm_stage_job", "description", "TEXT");
  return step;
}

// Values of changes that the lines of the audit log do not tell; an index that leads to the rows of one action, in one statement.
migration_step audit_values() {
  migration_step step{19, "audit_values", {}};
  add_column(step.statements, "rm_audit", "field_values", "TEXT, ADD INDEX rm_audit_action (object, object_id, action)");
  return step;
}

// Settings of the console by user. NULL: the console's default.
migration_step user_settings() {
  return {20, "user_settings", {table("rm_user_settings", R"(  user_id INT NOT NULL PRIMARY KEY,
  language VARCHAR(10), zone VARCHAR(10), theme VARCHAR(10), start_page VARCHAR(255), refresh_s INT, single_keys TINYINT)")}};
}

// The user who asked for a run. It stays with the run after its request is forgotten.
migration_step requesters() {
  migration_step step{21, "requesters", {}};
  add_column(step.statements, "rm_intent", "user_name", "VARCHAR(64)");
  add_column(step.statements, "rm_asked_run", "user_name", "VARCHAR(64)");
  return step;
}

std::string elastic_table_text(const elastic_table& made) {
  // In a table with an ascending number, that is the first column.
  const auto number = made.columns.substr(2, made.columns.find(' ', 2) - 2);
  const bool is_long = made.name == "ej_run" || made.name == "ej_alarm";
  const auto type = is_long ? "BIGINT NOT NULL AUTO_INCREMENT" : "INT NOT NULL AUTO_INCREMENT";
  auto columns = columns_of(made, {type, "MEDIUMTEXT", "MEDIUMBLOB"});
  columns += ",\n  PRIMARY KEY (" + (made.primary_key.empty() ? number : made.primary_key) + ")";
  for (const auto& key : made.unique)
    columns += ",\n  UNIQUE KEY " + made.name + "_name (" + key + ")";
  for (const auto& key : made.indexed)
    columns += ",\n  KEY " + made.name + "_" + key.substr(0, key.find(',')) + " (" + key + ")";
  return table(made.name, columns);
}

// Elastic jobs: their leases, definitions, items, runs and hosts.
migration_step elastic_jobs() {
  migration_step step{22, "elastic_jobs", {}};
  for (const auto& made : elastic_tables())
    step.statements.push_back(elastic_table_text(made));
  for (auto& rows : elastic_first_rows("IGNORE"))
    step.statements.push_back(std::move(rows));
  add_column(step.statements, "rm_alarm", "kinds", "VARCHAR(64)");
  return step;
}

// ElasticJob's tables for the history of runs, as views. A table of that name stays, whatever its case. Times are in the zone of
// the reader's session.
migration_step elastic_histories() {
  migration_step step{23, "elastic_histories", {}};
  for (const auto& view : elastic_views({"CHAR", "FROM_UNIXTIME(# * 0.001)", "CONCAT(", ", ", ")"})) {
    step.statements.push_back("CREATE OR REPLACE SQL SECURITY INVOKER VIEW " + view.name + " AS " + view.text);
    add_conditional(step.statements,
                    "SELECT COUNT(*) = 0 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND LOWER(TABLE_NAME) = '"
                      + view.alias + "'",
                    "CREATE SQL SECURITY INVOKER VIEW " + view.alias + " AS SELECT * FROM " + view.name);
  }
  return step;
}

// A node that has just entered or is about to leave has no slots. Earlier releases ignore the column.
migration_step serving_nodes() {
  migration_step step{24, "serving_nodes", {}};
  add_column(step.statements, "rm_node", "serves", "TINYINT NOT NULL DEFAULT 1");
  return step;
}

} // namespace

void append_later_steps(std::vector<migration_step>& to) {
  for (auto* step : {missed_instants, manual_stops, source_files, descriptions, audit_values, user_settings, requesters,
                     elastic_jobs, elastic_histories, serving_nodes})
    to.push_back(step());
}

} // namespace ringmaster::storage::mysql
