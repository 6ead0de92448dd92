#include "storage/rows/elastic_views.hpp"

#include <initializer_list>
#include <string_view>

namespace ringmaster::storage {

namespace {

constexpr std::string_view tables = " FROM ej_run r JOIN ej_job j ON j.id = r.job LEFT JOIN ej_node n ON n.num = r.host";
constexpr std::string_view ip = "COALESCE(n.ip, '')";

std::string joined(const view_dialect& words, std::initializer_list<std::string_view> parts) {
  std::string out = words.joined_begin;
  for (const auto part : parts) {
    if (out.size() != words.joined_begin.size())
      out += words.joined_between;
    out += part;
  }
  return out + words.joined_end;
}

std::string instant_of(const view_dialect& words, std::string_view column) {
  auto out = words.instant;
  return out.replace(out.find('#'), 1, column);
}

std::string as_text(const view_dialect& words, std::string_view value) {
  return "CAST(" + std::string{value} + " AS " + words.text_type + ")";
}

/// Returns `<job>@-@<item>@-@READY|FAILOVER@-@<ip>@-@<pid>@-@<run>`, as the process that ran it has it. The process id of a
/// process that another one has replaced is no longer known.
std::string task_id(const view_dialect& words) {
  return joined(words, {"j.name", "'@-@'", "r.item", "'@-@'", "CASE r.source WHEN 2 THEN 'FAILOVER' ELSE 'READY' END", "'@-@'",
                        ip, "'@-@'", "CASE WHEN n.incarnation = r.host_inc THEN n.pid ELSE 0 END", "'@-@'", "r.id"});
}

std::string execution_text(const view_dialect& words) {
  return "SELECT r.id AS auto_id, " + as_text(words, "r.id") + " AS id, j.name AS job_name, " + task_id(words)
         + " AS task_id, COALESCE(n.id, '') AS hostname, " + std::string{ip}
         + " AS ip, r.item AS sharding_item, CASE r.source WHEN 1 THEN 'MISFIRE' WHEN 2 THEN 'FAILOVER' WHEN 3 THEN 'MANUAL'"
           " ELSE 'NORMAL_TRIGGER' END AS execution_source, CASE WHEN r.state > 2 THEN COALESCE(r.message, CASE r.state"
           " WHEN 4 THEN 'TASK_LOST' WHEN 5 THEN 'TASK_KILLED' WHEN 6 THEN 'TASK_FAILED' ELSE 'TASK_ERROR' END) END"
           " AS failure_cause, CASE r.state WHEN 2 THEN 1 ELSE 0 END AS is_success, CASE WHEN r.started_ms > 0 THEN "
         + instant_of(words, "r.started_ms") + " ELSE " + instant_of(words, "r.granted_ms")
         + " END AS start_time, CASE WHEN r.ended_ms > 0 THEN " + instant_of(words, "r.ended_ms") + " END AS complete_time"
         + std::string{tables} + " WHERE r.item >= 0";
}

/// Returns one kind of state change of all runs. `number` makes its ids unique.
std::string state_text(const view_dialect& words, std::string_view number, std::string_view state, std::string_view message,
                       std::string_view at, std::string_view condition) {
  return "SELECT r.id * 4 + " + std::string{number} + " AS auto_id, "
         + joined(words, {"r.id", "'-" + std::string{number} + "'"}) + " AS id, j.name AS job_name, '' AS original_task_id, "
         + task_id(words) + " AS task_id, " + std::string{ip}
         + " AS slave_id, CASE r.source WHEN 2 THEN 'FAILOVER' ELSE 'READY' END AS execution_type, "
         + joined(words, {"'['", "r.item", "']'"}) + " AS sharding_item, " + std::string{state} + " AS state, "
         + std::string{message} + " AS message, " + instant_of(words, at) + " AS creation_time" + std::string{tables}
         + " WHERE r.item >= 0" + std::string{condition};
}

/// Returns fires that the misfire rule dropped: they have no runs.
std::string dropped_text(const view_dialect& words) {
  return "SELECT f.fire_ms * 4 + 3, " + joined(words, {"'d'", "f.job", "'-'", "f.fire_ms", "'-'", "f.source"}) + ", j.name, '', "
         + joined(words, {"j.name", "'@-@@-@READY@-@@-@@-@'", "f.fire_ms"}) + ", '', 'READY', '[]', 'TASK_DROPPED', NULL, "
         + instant_of(words, "f.fire_ms") + " FROM ej_fire f JOIN ej_job j ON j.id = f.job WHERE f.state = 6";
}

std::string trace_text(const view_dialect& words) {
  constexpr std::string_view end_states = "CASE r.state WHEN 2 THEN 'TASK_FINISHED' WHEN 4 THEN 'TASK_LOST' WHEN 5 THEN"
                                          " 'TASK_KILLED' WHEN 6 THEN 'TASK_FAILED' ELSE 'TASK_ERROR' END";
  return state_text(words, "0", "'TASK_STAGING'", "NULL", "r.granted_ms", "") + " UNION ALL "
         + state_text(words, "1", "'TASK_RUNNING'", "NULL", "r.started_ms", " AND r.started_ms > 0") + " UNION ALL "
         + state_text(words, "2", end_states, "r.message", "r.ended_ms", " AND r.state >= 2") + " UNION ALL "
         + dropped_text(words);
}

} // namespace

std::vector<elastic_view> elastic_views(const view_dialect& words) {
  return {{"ej_execution_log", "job_execution_log", execution_text(words)},
          {"ej_status_trace_log", "job_status_trace_log", trace_text(words)}};
}

} // namespace ringmaster::storage
