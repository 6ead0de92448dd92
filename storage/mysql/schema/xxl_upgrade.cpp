#include "storage/mysql/schema/xxl_upgrade.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::storage::mysql {

namespace {

constexpr const char* log_table = "xxl_job_log";
using column_list = std::vector<std::string>;

std::string quoted(std::string_view name) { return '`' + std::string{name} + '`'; }

/// Returns the comment, quoted so that it is unchanged in any SQL mode: quotes are doubled, and backslashes as well.
std::string comment_clause(const column_facts* column) {
  if (!column || column->comment.empty())
    return "";
  std::string out = " COMMENT '";
  for (const char c : column->comment) {
    if (c == '\'' || c == '\\')
      out += c;
    out += c;
  }
  return out + '\'';
}

std::string column_names_of(const column_list& columns) {
  std::string out;
  for (const auto& one : columns)
    out += (out.empty() ? "" : ", ") + one;
  return out;
}

std::string add_key(const char* name, const column_list& columns) {
  return "ADD KEY " + std::string{name} + " (" + column_names_of(columns) + ')';
}

/// One statement for all clauses: the table is rebuilt once.
void alter(migration_step& step, const std::string& table, const column_list& clauses) {
  if (clauses.empty())
    return;
  std::string text = "ALTER TABLE " + table;
  for (std::size_t i = 0; i < clauses.size(); ++i)
    text += (i == 0 ? " " : ", ") + clauses[i];
  step.statements.push_back(std::move(text));
}

/// Returns whether the log has the lean profile: its indexes on codes and times were removed on purpose.
bool is_lean(const schema_facts& facts) {
  return !facts.indexed(log_table, "trigger_time") && !facts.indexed(log_table, "handle_code");
}

migration_step bootstraps(const schema_facts& facts) {
  migration_step step{0, "foundations", {}};
  for (const auto& name : xxl_tables())
    if (const auto* table = facts.table(name); table && table->engine != "InnoDB")
      step.statements.push_back("ALTER TABLE " + name + " ENGINE=InnoDB");
  if (!facts.column("xxl_job_log_report", "update_time"))
    step.statements.push_back("ALTER TABLE xxl_job_log_report ADD COLUMN update_time DATETIME NULL DEFAULT NULL");
  if (!facts.lock_row)
    step.statements.push_back("INSERT IGNORE INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')");
  return step;
}

migration_step to_g5(const schema_facts& facts) {
  migration_step step{5, "G4 to G5", {}};
  const column_list key{"registry_group", "registry_key", "registry_value"};
  const auto* index = facts.index("xxl_job_registry", key);
  if (!index || !index->unique) {
    // The younger of two equal ones stays.
    step.statements.push_back(
      "DELETE old FROM xxl_job_registry old JOIN xxl_job_registry young ON old.registry_group = young.registry_group"
      " AND old.registry_key = young.registry_key AND old.registry_value = young.registry_value"
      " WHERE COALESCE(old.update_time, '1970-01-01 00:00:00') < COALESCE(young.update_time, '1970-01-01 00:00:00')"
      " OR (old.update_time <=> young.update_time AND old.id < young.id)");
    column_list clauses;
    if (index)
      clauses.push_back("DROP KEY " + quoted(index->name));
    clauses.push_back("ADD UNIQUE KEY i_g_k_v (" + column_names_of(key) + ')');
    alter(step, "xxl_job_registry", clauses);
  }
  if (!is_lean(facts) && !facts.index(log_table, {"job_id"}))
    alter(step, log_table, {add_key("I_jobid", {"job_id"})});
  return step;
}

migration_step to_g6(const schema_facts& facts) {
  migration_step step{6, "G5 to G6", {}};
  column_list clauses;
  const auto* password = facts.column("xxl_job_user", "password");
  if (password && password->length < 100)
    clauses.push_back("MODIFY COLUMN password VARCHAR(100) NOT NULL" + comment_clause(password));
  if (!facts.column("xxl_job_user", "token"))
    clauses.push_back("ADD COLUMN token VARCHAR(100) NULL DEFAULT NULL AFTER password");
  alter(step, "xxl_job_user", clauses);
  return step;
}

column_list log_changes_of_g7(const schema_facts& facts) {
  column_list clauses;
  if (const auto* param = facts.column(log_table, "executor_param"); param && !param->type.ends_with("text"))
    clauses.push_back("MODIFY COLUMN executor_param TEXT NULL" + comment_clause(param));
  if (is_lean(facts))
    return clauses;
  if (const auto* pair = facts.index(log_table, {"job_id", "job_group"}))
    clauses.push_back("DROP KEY " + quoted(pair->name));
  if (!facts.index(log_table, {"job_group"}))
    clauses.push_back(add_key("I_jobgroup", {"job_group"}));
  if (!facts.index(log_table, {"trigger_time"}))
    clauses.push_back(add_key("I_trigger_time", {"trigger_time"}));
  if (!facts.index(log_table, {"handle_code"}))
    clauses.push_back(add_key("I_handle_code", {"handle_code"}));
  return clauses;
}

migration_step to_g7(const schema_facts& facts) {
  migration_step step{7, "G6 to G7", {}};
  const auto shape = shape_of(facts);
  const std::string title{shape.names.group_title};
  if (const auto* column = facts.column("xxl_job_group", title); column && column->length < 64)
    alter(step, "xxl_job_group", {"MODIFY COLUMN " + title + " VARCHAR(64) NOT NULL" + comment_clause(column)});
  if (!shape.wide_registry_id)
    alter(step, "xxl_job_registry", {"MODIFY COLUMN id BIGINT NOT NULL AUTO_INCREMENT"});
  if (const auto* param = facts.column("xxl_job_info", "executor_param"); param && !param->type.ends_with("text"))
    alter(step, "xxl_job_info", {"MODIFY COLUMN executor_param TEXT NULL" + comment_clause(param)});
  alter(step, log_table, log_changes_of_g7(facts));
  return step;
}

void add_notes(const schema_facts& facts, change_plan& plan) {
  if (!facts.column("xxl_job_user", "token"))
    plan.notes.emplace_back("passwords in xxl_job_user stay unchanged (MD5); Java admins from 3.2.0 on do not accept these, "
                            "so users who sign in there need new ones");
  const auto verdict = classify(facts);
  if (verdict.generation < 8) {
    if (plan.steps.empty())
      plan.notes.emplace_back("G7 is the newest generation that XXL-JOB has released");
    return;
  }
  std::string left;
  const auto say = [&](bool there, const char* what) { left += there ? "" : (left.empty() ? "" : ", ") + std::string{what}; };
  say(facts.column("xxl_job_info", "name") != nullptr, "xxl_job_info.name");
  say(facts.column("xxl_job_group", "name") != nullptr, "xxl_job_group.name");
  say(facts.column("xxl_job_group", "access_token") != nullptr, "xxl_job_group.access_token");
  const auto* app = facts.index("xxl_job_group", {"app_name"});
  say(app != nullptr && app->unique, "the unique key of xxl_job_group.app_name");
  if (!left.empty())
    plan.notes.push_back("begun and left unchanged, because XXL-JOB has not released G8; missing: " + left);
}

void keep(change_plan& plan, migration_step&& step) {
  if (!step.statements.empty())
    plan.steps.push_back(std::move(step));
}

} // namespace

change_plan upgrade_plan(const schema_facts& facts) {
  change_plan plan;
  keep(plan, bootstraps(facts));
  keep(plan, to_g5(facts));
  keep(plan, to_g6(facts));
  keep(plan, to_g7(facts));
  add_notes(facts, plan);
  return plan;
}

change_plan lean_plan(const schema_facts& facts) {
  change_plan plan;
  migration_step step{0, "lean log", {}};
  column_list clauses;
  const auto* by_job = facts.index(log_table, {"job_id"});
  for (const auto& index : facts.table(log_table)->indexes)
    if (index.name != "PRIMARY" && &index != by_job)
      clauses.push_back("DROP KEY " + quoted(index.name));
  if (!by_job)
    clauses.push_back(add_key("I_jobid", {"job_id"}));
  alter(step, log_table, clauses);
  keep(plan, std::move(step));
  if (!plan.steps.empty())
    plan.notes.emplace_back("Java admins read the log by time and by result: this makes their pages and their "
                            "fail monitor slow; `migrate --lean=off` undoes it");
  return plan;
}

change_plan full_plan(const schema_facts& facts) {
  change_plan plan;
  migration_step step{0, "log as XXL-JOB has it", {}};
  column_list clauses;
  const auto want = [&](const char* name, const column_list& columns) {
    if (!facts.index(log_table, columns))
      clauses.push_back(add_key(name, columns));
  };
  const auto generation = classify(facts).generation;
  want("I_trigger_time", {"trigger_time"});
  want("I_handle_code", {"handle_code"});
  if (generation >= 7)
    want("I_jobgroup", {"job_group"});
  else if (generation >= 5)
    want("I_jobid_jobgroup", {"job_id", "job_group"});
  want("I_jobid", {"job_id"});
  alter(step, log_table, clauses);
  keep(plan, std::move(step));
  return plan;
}

change_plan shared_index_plan(const schema_facts& facts) {
  change_plan plan;
  migration_step step{0, "shared mode's index", {}};
  const column_list due{"trigger_status", "trigger_next_time"};
  if (!facts.index("xxl_job_info", due))
    alter(step, "xxl_job_info", {add_key("rm_due", due)});
  keep(plan, std::move(step));
  return plan;
}

} // namespace ringmaster::storage::mysql
