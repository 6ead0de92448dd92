#include "storage/rows/elastic_tables.hpp"

#include "core/cluster/slot_map.hpp"
#include "storage/rows/elastic_columns.hpp"

namespace ringmaster::storage {

namespace {

/// This step. Options added later have a step of their own.
constexpr int elastic_step = 22;

elastic_table job_table() {
  return {"ej_job",
          "  id $number,\n  namespace VARCHAR(64) NOT NULL,\n  name VARCHAR(128) NOT NULL,\n  job_group INT NOT NULL,\n"
          "  kind VARCHAR(10) NOT NULL,\n  handler VARCHAR(255) NOT NULL,\n  total INT NOT NULL,\n"
            + option_column_list(elastic_step, "$text")
            + "  props $text NOT NULL,\n  version BIGINT NOT NULL,\n  status TINYINT NOT NULL,\n  source VARCHAR(128),\n"
              "  content_hash VARCHAR(64) NOT NULL",
          "",
          {"namespace, name"},
          {"job_group"}};
}

elastic_table run_table() {
  return {"ej_run",
          R"(  id $number,
  job INT NOT NULL,
  item INT NOT NULL,
  source TINYINT NOT NULL,
  fire_ms BIGINT NOT NULL,
  fire_source TINYINT NOT NULL,
  request BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  attempt TINYINT UNSIGNED NOT NULL,
  host INT NOT NULL,
  host_inc BIGINT NOT NULL,
  granted_ms BIGINT NOT NULL,
  started_ms BIGINT NOT NULL,
  ended_ms BIGINT NOT NULL,
  state TINYINT NOT NULL,
  message VARCHAR(4000))",
          "",
          {},
          {"job"}};
}

elastic_table host_table() {
  return {"ej_node",
          R"(  num $number,
  id VARCHAR(255) NOT NULL,
  app_name VARCHAR(64) NOT NULL,
  incarnation BIGINT NOT NULL,
  ended_inc BIGINT NOT NULL,
  process VARCHAR(64) NOT NULL,
  folder VARCHAR(64) NOT NULL,
  boot VARCHAR(36) NOT NULL,
  pid BIGINT NOT NULL,
  pid_ns BIGINT NOT NULL,
  start_ticks BIGINT NOT NULL,
  ip VARCHAR(50) NOT NULL,
  labels VARCHAR(1024) NOT NULL,
  capacity INT NOT NULL,
  state TINYINT NOT NULL,
  mode TINYINT NOT NULL DEFAULT 0,
  keeper VARCHAR(64) NOT NULL,
  keeper_inc BIGINT NOT NULL,
  keeper_no BIGINT NOT NULL,
  change_no BIGINT NOT NULL)",
          "",
          {"id"},
          {"change_no"}};
}

elastic_table item_table() {
  return {"ej_item",
          R"(  job INT NOT NULL,
  item INT NOT NULL,
  fence BIGINT NOT NULL,
  state TINYINT NOT NULL,
  run BIGINT NOT NULL,
  host INT NOT NULL,
  host_inc BIGINT NOT NULL,
  attempt TINYINT UNSIGNED NOT NULL,
  missed TINYINT NOT NULL,
  flags TINYINT NOT NULL,
  lease_ms INT NOT NULL,
  cancel_run BIGINT NOT NULL DEFAULT 0)",
          "job, item"};
}

elastic_table fire_table() {
  return {"ej_fire",
          R"(  job INT NOT NULL,
  fire_ms BIGINT NOT NULL,
  source TINYINT NOT NULL,
  request BIGINT NOT NULL,
  plan_version BIGINT NOT NULL,
  config_version BIGINT NOT NULL,
  state TINYINT NOT NULL,
  expected INT NOT NULL,
  dropped INT NOT NULL,
  param $text)",
          "job, fire_ms, source, request"};
}

/// Alarms until they are finished. `cause` 0: a recovery. `state`: as of `rm_intent`.
elastic_table alarm_table() {
  return {"ej_alarm",
          R"(  id $number,
  cause TINYINT NOT NULL,
  job INT NOT NULL,
  item INT NOT NULL,
  run BIGINT NOT NULL,
  fire_ms BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  state TINYINT NOT NULL,
  node VARCHAR(64),
  incarnation BIGINT)",
          "",
          {"job, item, cause, run, at_ms"},
          {"state, at_ms"}};
}

void replace_all(std::string& text, std::string_view word, std::string_view by) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

} // namespace

std::string columns_of(const elastic_table& table, const column_types& types) {
  auto out = table.columns;
  replace_all(out, "$number", types.number);
  replace_all(out, "$text", types.text);
  replace_all(out, "$bytes", types.bytes);
  return out;
}

std::vector<elastic_table> elastic_tables() {
  std::vector<elastic_table> out{
    {"ej_meta", "  id INT NOT NULL,\n  cluster_id VARCHAR(32) NOT NULL,\n  host_change BIGINT NOT NULL", "id"},
    {"ej_lease", "  slot INT NOT NULL,\n  node VARCHAR(64),\n  incarnation BIGINT NOT NULL,\n  epoch BIGINT NOT NULL", "slot"},
    job_table(),
    {"ej_schedule",
     "  job INT NOT NULL,\n  next_ms BIGINT NOT NULL,\n  last_ms BIGINT NOT NULL,\n  revision BIGINT NOT NULL",
     "job",
     {},
     {"revision"}},
    item_table(),
    {"ej_cursor", "  job INT NOT NULL,\n  item INT NOT NULL,\n  fence BIGINT NOT NULL,\n  value $bytes NOT NULL", "job, item"},
    {"ej_plan",
     "  job INT NOT NULL,\n  version BIGINT NOT NULL,\n  members VARCHAR(32) NOT NULL,\n  total INT NOT NULL,\n"
     "  assignment $text NOT NULL,\n  at_ms BIGINT NOT NULL",
     "job, version"},
    fire_table(),
    run_table(),
    host_table(),
    {"ej_server",
     "  namespace VARCHAR(64) NOT NULL,\n  job INT NOT NULL,\n  server VARCHAR(255) NOT NULL,\n"
     "  set_by VARCHAR(64) NOT NULL,\n  set_ms BIGINT NOT NULL",
     "namespace, job, server"},
    {"ej_request",
     "  id BIGINT NOT NULL,\n  job INT NOT NULL,\n  item INT,\n  policy TINYINT NOT NULL,\n  param $text,\n"
     "  at_ms BIGINT NOT NULL",
     "id",
     {},
     {"job"}},
    {"ej_request_item", "  request BIGINT NOT NULL,\n  item INT NOT NULL,\n  job INT NOT NULL", "request, item", {}, {"job"}},
    {"ej_inbox", "  run BIGINT NOT NULL,\n  fence BIGINT NOT NULL,\n  outcome $bytes NOT NULL", "run"},
    alarm_table(),
    {"ej_alarm_open",
     "  job INT NOT NULL,\n  item INT NOT NULL,\n  at_ms BIGINT NOT NULL,\n  told TINYINT NOT NULL,\n"
     "  recovered BIGINT NOT NULL",
     "job, item"}};
  return out;
}

std::vector<std::string> elastic_first_rows(const std::string& ignore) {
  auto leases = "INSERT " + ignore + " INTO ej_lease (slot, node, incarnation, epoch) VALUES ";
  for (std::size_t slot = 0; slot < core::slot_count; ++slot)
    leases.append(slot == 0 ? "(" : ", (").append(std::to_string(slot)).append(", NULL, 0, 0)");
  return {"INSERT " + ignore + " INTO ej_meta (id, cluster_id, host_change) VALUES (1, '', 0)", std::move(leases)};
}

} // namespace ringmaster::storage
