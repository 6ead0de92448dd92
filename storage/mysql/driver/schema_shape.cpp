#include "storage/mysql/driver/schema_shape.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace ringmaster::storage::mysql {

namespace {

using column_list = std::vector<std::string>;

const column_list registration_key{"registry_group", "registry_key", "registry_value"};

/// A feature that a generation introduced.
struct marker {
  int generation;
  std::string is;
  bool there;
  /// False: operators add it to older generations, too.
  bool tells = true;
};

std::optional<std::size_t> length_of(const schema_facts& facts, std::string_view table, std::string_view column) {
  const auto* found = facts.column(table, column);
  return found ? std::optional{found->length} : std::nullopt;
}

bool is_text(const schema_facts& facts, std::string_view table, std::string_view column) {
  const auto* found = facts.column(table, column);
  return found && found->type.ends_with("text");
}

bool has_title(const schema_facts& facts) { return facts.column("xxl_job_group", "title") != nullptr; }

std::vector<marker> markers(const schema_facts& facts) {
  const auto has = [&](std::string_view table, std::string_view column) { return facts.column(table, column) != nullptr; };
  const auto* title = facts.column("xxl_job_group", has_title(facts) ? "title" : "name");
  const auto* registry_id = facts.column("xxl_job_registry", "id");
  const auto* key = facts.index("xxl_job_registry", registration_key);
  const auto* app = facts.index("xxl_job_group", {"app_name"});
  return {
    {5, "the unique key of xxl_job_registry", key != nullptr && key->unique},
    {6, "xxl_job_user.token", has("xxl_job_user", "token")},
    {6, "xxl_job_user.password with 100 characters", length_of(facts, "xxl_job_user", "password").value_or(0) >= 100},
    {7, "an xxl_job_group title with 64 characters", title != nullptr && title->length >= 64},
    {7, "xxl_job_registry.id as bigint", registry_id != nullptr && registry_id->type == "bigint"},
    {7, "xxl_job_info.executor_param as text", is_text(facts, "xxl_job_info", "executor_param")},
    {7, "xxl_job_log.executor_param as text", is_text(facts, "xxl_job_log", "executor_param")},
    {8, "xxl_job_info.name", has("xxl_job_info", "name")},
    {8, "xxl_job_group.name", has("xxl_job_group", "name")},
    {8, "xxl_job_group.access_token", has("xxl_job_group", "access_token")},
    {8, "the unique key of xxl_job_group.app_name", app != nullptr && app->unique, false},
  };
}

/// Returns the columns that every statement expects, by table.
const std::map<std::string, column_list>& required_columns() {
  static const std::map<std::string, column_list> columns{
    {"xxl_job_info",
     {"id", "job_group", "add_time", "update_time", "author", "alarm_email", "schedule_type", "schedule_conf", "misfire_strategy",
      "executor_route_strategy", "executor_handler", "executor_param", "executor_block_strategy", "executor_timeout",
      "executor_fail_retry_count", "glue_type", "glue_source", "glue_remark", "glue_updatetime", "child_jobid", "trigger_status",
      "trigger_last_time", "trigger_next_time"}},
    {"xxl_job_log",
     {"id", "job_group", "job_id", "executor_address", "executor_handler", "executor_param", "executor_sharding_param",
      "executor_fail_retry_count", "trigger_time", "trigger_code", "trigger_msg", "handle_time", "handle_code", "handle_msg",
      "alarm_status"}},
    {"xxl_job_log_report", {"id", "trigger_day", "running_count", "suc_count", "fail_count"}},
    {"xxl_job_logglue", {"id", "job_id", "glue_type", "glue_source", "glue_remark", "add_time", "update_time"}},
    {"xxl_job_registry", {"id", "registry_group", "registry_key", "registry_value", "update_time"}},
    {"xxl_job_group", {"id", "app_name", "address_type", "address_list", "update_time"}},
    {"xxl_job_user", {"id", "username", "password", "role", "permission"}},
    {"xxl_job_lock", {"lock_name"}},
  };
  return columns;
}

/// Returns the columns that statements compute with: with another type every statement fails, or compares texts.
const std::map<std::string, column_list>& number_columns() {
  static const std::map<std::string, column_list> columns{
    {"xxl_job_info",
     {"id", "job_group", "executor_timeout", "executor_fail_retry_count", "trigger_status", "trigger_last_time",
      "trigger_next_time"}},
    {"xxl_job_log", {"id", "job_group", "job_id", "executor_fail_retry_count", "trigger_code", "handle_code", "alarm_status"}},
    {"xxl_job_group", {"id", "address_type"}},
  };
  return columns;
}

schema_verdict unusable(std::string text) { return {schema_verdict::kind::unusable, 0, std::move(text), false}; }

schema_verdict half(const std::string& there, const std::string& missing) {
  return unusable("half migrated: " + there + " is there, " + missing + " is missing");
}

bool is_own(std::string_view table) { return table.starts_with("rm_") || table.starts_with("ej_"); }

/// Returns whether a type is an integer, by its name in `information_schema`.
bool is_whole_number(std::string_view type) {
  constexpr std::array<std::string_view, 5> names{"tinyint", "smallint", "mediumint", "int", "bigint"};
  return std::find(names.begin(), names.end(), type) != names.end();
}

/// Returns the first table or column of a wrong kind; empty: all are right.
std::optional<schema_verdict> wrong_kind(const schema_facts& facts) {
  for (const auto& name : xxl_tables())
    if (facts.table(name)->engine.empty())
      return unusable(name + " is a view; expected a table");
  for (const auto& [table, columns] : number_columns())
    for (const auto& column : columns)
      if (const auto& type = facts.column(table, column)->type; !is_whole_number(type))
        return unusable(table + '.' + column + " is of the type " + type + "; expected an integer");
  if (!facts.column("xxl_job_log", "id")->counts)
    return unusable("xxl_job_log.id is not AUTO_INCREMENT: no run can be written");
  return std::nullopt;
}

/// Returns what is missing or wrong; empty: statements have all they need.
std::optional<schema_verdict> defect(const schema_facts& facts) {
  const auto& names = xxl_tables();
  const auto there = std::find_if(names.begin(), names.end(), [&](const auto& name) { return facts.table(name) != nullptr; });
  if (there == names.end()) {
    const auto foreign = std::find_if(facts.tables.begin(), facts.tables.end(), [](const auto& t) { return !is_own(t.first); });
    if (foreign == facts.tables.end())
      return schema_verdict{};
    return unusable("not XXL's: the database contains tables of another application (" + foreign->first
                    + ") and none of XXL-JOB; give Ringmaster a database of its own (database.url)");
  }
  if (facts.column("xxl_job_info", "job_cron") && !facts.column("xxl_job_info", "schedule_type"))
    return unusable("G1-G3: unsupported; xxl_job_info.job_cron is from a release before XXL-JOB 2.3.0: upgrade XXL-JOB to 2.3.0 "
                    "or later first");
  if (facts.column("xxl_job_info", "job_cron"))
    return unusable("half migrated: xxl_job_info.schedule_type is there, and xxl_job_info.job_cron still exists; finish "
                    "XXL-JOB's own upgrade to 2.3.0");
  for (const auto& name : names)
    if (!facts.table(name))
      return half(*there, name);
  for (const auto& [table, columns] : required_columns()) {
    const auto missing = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return !facts.column(table, c); });
    if (missing == columns.end())
      continue;
    return table == "xxl_job_info" && !facts.column(table, "schedule_type") && !facts.column(table, "trigger_status")
             ? unusable("not XXL's: " + table + " does not have the columns of XXL-JOB")
             : half(table, table + '.' + *missing);
  }
  if (!facts.column("xxl_job_info", "job_desc") && !facts.column("xxl_job_info", "name"))
    return half("xxl_job_info", "xxl_job_info.job_desc");
  if (!has_title(facts) && !facts.column("xxl_job_group", "name"))
    return half("xxl_job_group", "xxl_job_group.title");
  if (facts.column("xxl_job_group", "order"))
    return unusable("half migrated: xxl_job_info.schedule_type is there, and xxl_job_group.order still exists; finish "
                    "XXL-JOB's own upgrade to 2.2.0");
  return wrong_kind(facts);
}

} // namespace

const table_facts* schema_facts::table(std::string_view name) const {
  const auto found = tables.find(name);
  return found == tables.end() ? nullptr : &found->second;
}

const column_facts* schema_facts::column(std::string_view table_name, std::string_view name) const {
  const auto* where = table(table_name);
  if (!where)
    return nullptr;
  const auto found = where->columns.find(name);
  return found == where->columns.end() ? nullptr : &found->second;
}

const index_facts* schema_facts::index(std::string_view table_name, const std::vector<std::string>& columns) const {
  const auto* where = table(table_name);
  if (!where)
    return nullptr;
  const index_facts* found = nullptr;
  for (const auto& one : where->indexes)
    if (one.columns == columns && (!found || one.unique))
      found = &one;
  return found;
}

bool schema_facts::indexed(std::string_view table_name, std::string_view column) const {
  const auto* where = table(table_name);
  return where && std::any_of(where->indexes.begin(), where->indexes.end(), [&](const index_facts& index) {
    return !index.columns.empty() && index.columns.front() == column;
  });
}

const std::vector<std::string>& xxl_tables() {
  static const std::vector<std::string> names{"xxl_job_info",     "xxl_job_log",   "xxl_job_log_report", "xxl_job_logglue",
                                              "xxl_job_registry", "xxl_job_group", "xxl_job_user",       "xxl_job_lock"};
  return names;
}

schema_shape shape_of(const schema_facts& facts) {
  schema_shape out;
  if (!facts.column("xxl_job_info", "job_desc") && facts.column("xxl_job_info", "name"))
    out.names.job_name = "name";
  if (!has_title(facts) && facts.column("xxl_job_group", "name"))
    out.names.group_title = "name";
  out.limits.title_chars =
    std::min(core::title_chars, length_of(facts, "xxl_job_group", out.names.group_title).value_or(core::title_chars));
  for (const char* table : {"xxl_job_info", "xxl_job_log"})
    if (const auto* param = facts.column(table, "executor_param"); param && !param->type.ends_with("text"))
      out.limits.param_chars = out.limits.param_chars == 0 ? param->length : std::min(out.limits.param_chars, param->length);
  out.password_chars = length_of(facts, "xxl_job_user", "password").value_or(100);
  out.user_token = facts.column("xxl_job_user", "token") != nullptr;
  const auto* key = facts.index("xxl_job_registry", registration_key);
  out.unique_registrations = key && key->unique;
  const auto* id = facts.column("xxl_job_registry", "id");
  out.wide_registry_id = id && id->type == "bigint";
  out.group_token = facts.column("xxl_job_group", "access_token") != nullptr;
  out.report_update_time = facts.column("xxl_job_log_report", "update_time") != nullptr;
  out.log_by_time = facts.indexed("xxl_job_log", "trigger_time");
  out.log_by_handle_code = facts.indexed("xxl_job_log", "handle_code");
  out.log_by_group = facts.indexed("xxl_job_log", "job_group");
  if (const auto* text = facts.column("xxl_job_log", "trigger_msg"))
    out.log_in_utf8 = text->charset.starts_with("utf8");
  out.log_by_job = facts.indexed("xxl_job_log", "job_id");
  out.schedule_lock = facts.lock_row;
  out.own_tables = facts.table("rm_schedule") != nullptr;
  return out;
}

schema_verdict classify(const schema_facts& facts) {
  if (auto found = defect(facts))
    return std::move(*found);
  schema_verdict out{schema_verdict::kind::usable, 4, {}, false};
  const auto all = markers(facts);
  const marker* newest = nullptr;
  for (const auto& one : all)
    if (one.tells && one.there) {
      newest = &one;
      out.generation = one.generation;
    }
  out.text = "G" + std::to_string(out.generation);
  std::string missing;
  for (const auto& one : all)
    if (one.generation <= out.generation && !one.there)
      missing += (missing.empty() ? "" : ", ") + one.is;
  if (!facts.column("xxl_job_log_report", "update_time"))
    missing += (missing.empty() ? "" : ", ") + std::string{"xxl_job_log_report.update_time"};
  if (missing.empty())
    return out;
  out.half_migrated = true;
  out.text = "half migrated: " + (newest ? newest->is : "xxl_job_info.schedule_type") + " is there, " + missing
             + (missing.find(',') == missing.npos ? " is missing" : " are missing");
  return out;
}

std::vector<std::string> without_transactions(const schema_facts& facts) {
  std::vector<std::string> out;
  for (const auto& name : xxl_tables())
    if (const auto* table = facts.table(name); table && table->engine != "InnoDB")
      out.push_back(name + " (" + table->engine + ")");
  return out;
}

} // namespace ringmaster::storage::mysql
