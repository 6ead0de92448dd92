#include "tests/storage/xxl_schemas.hpp"

namespace ringmaster::test {

namespace {

std::string table_text(const std::string& name, const std::string& lines) {
  return "CREATE TABLE " + name + " (\n" + lines + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci";
}

std::string info(int generation) {
  const std::string times = "add_time datetime DEFAULT NULL, update_time datetime DEFAULT NULL,\n";
  std::string out = "id int(11) NOT NULL AUTO_INCREMENT, job_group int(11) NOT NULL COMMENT 'executor id',\n";
  out += generation >= 8 ? "name varchar(255) NOT NULL,\n" : "job_desc varchar(255) NOT NULL,\n" + times;
  out += "author varchar(64) DEFAULT NULL, alarm_email varchar(255) DEFAULT NULL,\n"
         "schedule_type varchar(50) NOT NULL DEFAULT 'NONE', schedule_conf varchar(128) DEFAULT NULL,\n"
         "misfire_strategy varchar(50) NOT NULL DEFAULT 'DO_NOTHING', executor_route_strategy varchar(50) DEFAULT NULL,\n"
         "executor_handler varchar(255) DEFAULT NULL,\n";
  out += generation >= 7 ? "executor_param text COMMENT 'it''s the job\\\\s',\n"
                         : "executor_param varchar(512) DEFAULT NULL COMMENT 'it''s the job\\\\s',\n";
  out += "executor_block_strategy varchar(50) DEFAULT NULL, executor_timeout int(11) NOT NULL DEFAULT '0',\n"
         "executor_fail_retry_count int(11) NOT NULL DEFAULT '0', glue_type varchar(50) NOT NULL, glue_source mediumtext,\n"
         "glue_remark varchar(128) DEFAULT NULL, glue_updatetime datetime DEFAULT NULL, child_jobid varchar(255) DEFAULT NULL,\n"
         "trigger_status tinyint(4) NOT NULL DEFAULT '0', trigger_last_time bigint(13) NOT NULL DEFAULT '0',\n"
         "trigger_next_time bigint(13) NOT NULL DEFAULT '0',\n";
  return table_text("xxl_job_info", out + (generation >= 8 ? times : "") + "PRIMARY KEY (id)\n");
}

std::string log(int generation) {
  std::string out = "id bigint(20) NOT NULL AUTO_INCREMENT, job_group int(11) NOT NULL, job_id int(11) NOT NULL,\n"
                    "executor_address varchar(255) DEFAULT NULL, executor_handler varchar(255) DEFAULT NULL,\n";
  out += generation >= 7 ? "executor_param text,\n" : "executor_param varchar(512) DEFAULT NULL,\n";
  out +=
    "executor_sharding_param varchar(20) DEFAULT NULL, executor_fail_retry_count int(11) NOT NULL DEFAULT '0',\n"
    "trigger_time datetime DEFAULT NULL, trigger_code int(11) NOT NULL, trigger_msg text, handle_time datetime DEFAULT NULL,\n"
    "handle_code int(11) NOT NULL, handle_msg text, alarm_status tinyint(4) NOT NULL DEFAULT '0', PRIMARY KEY (id),\n";
  if (generation >= 8)
    out +=
      "KEY i_trigger_time (trigger_time), KEY i_handle_code (handle_code), KEY i_job_group (job_group), KEY i_job_id (job_id)";
  else
    out += "KEY I_trigger_time (trigger_time), KEY I_handle_code (handle_code)";
  if (generation == 7)
    out += ", KEY I_jobgroup (job_group), KEY I_jobid (job_id)";
  else if (generation == 5 || generation == 6)
    out += ", KEY I_jobid_jobgroup (job_id, job_group), KEY I_job_id (job_id)";
  return table_text("xxl_job_log", out + '\n');
}

std::string registry(int generation) {
  return table_text("xxl_job_registry", std::string{generation >= 7 ? "id bigint(20)" : "id int(11)"} +
                                          " NOT NULL AUTO_INCREMENT, registry_group varchar(50) NOT NULL,\n"
                                          "registry_key varchar(255) NOT NULL, registry_value varchar(255) NOT NULL,\n"
                                          "update_time datetime DEFAULT NULL, PRIMARY KEY (id),\n" +
                                          (generation >= 5 ? "UNIQUE " : "") +
                                          "KEY i_g_k_v (registry_group, registry_key, registry_value)\n");
}

std::string group(int generation) {
  std::string out = "id int(11) NOT NULL AUTO_INCREMENT, app_name varchar(64) NOT NULL,\n";
  out += generation >= 8   ? "name varchar(64) NOT NULL,\n"
         : generation == 7 ? "title varchar(64) NOT NULL COMMENT 'shown',\n"
                           : "title varchar(12) NOT NULL COMMENT 'shown',\n";
  out += "address_type tinyint(4) NOT NULL DEFAULT '0', address_list text,\n";
  if (generation >= 8)
    out += "access_token varchar(255) DEFAULT NULL,\n";
  out += "update_time datetime DEFAULT NULL, PRIMARY KEY (id)";
  return table_text("xxl_job_group", out + (generation >= 8 ? ",\nUNIQUE KEY i_app_name (app_name)\n" : "\n"));
}

std::string user(int generation) {
  return table_text("xxl_job_user",
                    "id int(11) NOT NULL AUTO_INCREMENT, username varchar(50) NOT NULL,\n" +
                      std::string{generation >= 6 ? "password varchar(100) NOT NULL, token varchar(100) DEFAULT NULL,\n"
                                                  : "password varchar(50) NOT NULL,\n"} +
                      "role tinyint(4) NOT NULL, permission varchar(255) DEFAULT NULL, PRIMARY KEY (id),\n"
                      "UNIQUE KEY i_username (username)\n");
}

} // namespace

std::vector<std::string> xxl_schema(int generation) {
  return {
    info(generation),
    log(generation),
    table_text("xxl_job_log_report",
               "id int(11) NOT NULL AUTO_INCREMENT, trigger_day datetime DEFAULT NULL,\n"
               "running_count int(11) NOT NULL DEFAULT '0', suc_count int(11) NOT NULL DEFAULT '0',\n"
               "fail_count int(11) NOT NULL DEFAULT '0', update_time datetime DEFAULT NULL,\n"
               "PRIMARY KEY (id), UNIQUE KEY i_trigger_day (trigger_day)\n"),
    table_text("xxl_job_logglue",
               "id int(11) NOT NULL AUTO_INCREMENT, job_id int(11) NOT NULL, glue_type varchar(50) DEFAULT NULL,\n"
               "glue_source mediumtext, glue_remark varchar(128) NOT NULL, add_time datetime DEFAULT NULL,\n"
               "update_time datetime DEFAULT NULL, PRIMARY KEY (id)\n"),
    registry(generation),
    group(generation),
    user(generation),
    table_text("xxl_job_lock", "lock_name varchar(50) NOT NULL, PRIMARY KEY (lock_name)\n"),
    "INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock')",
  };
}

std::vector<std::string> xxl_step_in_place(int to_generation) {
  switch (to_generation) {
  case 5:
    return {
      "ALTER TABLE xxl_job_registry DROP KEY i_g_k_v, ADD UNIQUE KEY i_g_k_v (registry_group, registry_key, registry_value)"};
  case 6:
    return {"ALTER TABLE xxl_job_user MODIFY password varchar(100) NOT NULL",
            "ALTER TABLE xxl_job_user ADD COLUMN token varchar(100) DEFAULT NULL AFTER password"};
  case 7:
    return {"ALTER TABLE xxl_job_group MODIFY title varchar(64) NOT NULL",
            "ALTER TABLE xxl_job_registry MODIFY id bigint NOT NULL AUTO_INCREMENT",
            "ALTER TABLE xxl_job_info MODIFY executor_param text", "ALTER TABLE xxl_job_log MODIFY executor_param text"};
  case 8:
    return {"ALTER TABLE xxl_job_group CHANGE title name varchar(64) NOT NULL",
            "ALTER TABLE xxl_job_group ADD COLUMN access_token varchar(255) DEFAULT NULL AFTER address_list",
            "ALTER TABLE xxl_job_group ADD UNIQUE KEY i_app_name (app_name)",
            "ALTER TABLE xxl_job_info CHANGE job_desc name varchar(255) NOT NULL"};
  default: return {};
  }
}

} // namespace ringmaster::test
