#include "storage/mysql/schema/schema_checks.hpp"

#include <algorithm>
#include <limits>

namespace ringmaster::storage::mysql {

namespace {

using level = database_finding::level;

/// Less than a hundredth of the range of `xxl_job_log.id` is a warning.
constexpr std::int64_t warned_share = 100;

std::optional<database_finding> narrow_texts(const std::string& name, const table_facts& table) {
  for (const auto& [column, facts] : table.columns)
    if (!facts.charset.empty() && facts.charset != "utf8mb4")
      return database_finding{facts.charset.starts_with("utf8") ? level::warning : level::failure, "character set",
                              name + '.' + column + " is in " + facts.charset
                                + ": a text with other characters is refused, and with it the run or job",
                              "convert the table " + name + " to the character set utf8mb4"};
  return std::nullopt;
}

std::optional<std::int64_t> last_id(std::string_view type) {
  if (type == "bigint")
    return std::numeric_limits<std::int64_t>::max();
  if (type == "int")
    return std::numeric_limits<std::int32_t>::max();
  return std::nullopt;
}

std::optional<database_finding> few_ids(connection& db, const schema_facts& facts) {
  const auto& type = facts.column("xxl_job_log", "id")->type;
  const auto last = last_id(type);
  auto row = db.query("SELECT GREATEST(COALESCE(CAST(LEAST(t.AUTO_INCREMENT, 9223372036854775807) AS SIGNED), 1),"
                      " (SELECT COALESCE(MAX(id), 0) FROM xxl_job_log)) FROM information_schema.TABLES t"
                      " JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME"
                      " AND c.COLUMN_NAME = 'id' AND c.COLUMN_TYPE NOT LIKE '%unsigned%'"
                      " WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = 'xxl_job_log'");
  if (!last || !row.next())
    return std::nullopt;
  const auto left = std::max<std::int64_t>(*last - row.number(0), 0); // some servers count one beyond the column's range
  if (left > *last / warned_share)
    return std::nullopt;
  return database_finding{left == 0 ? level::failure : level::warning, "run ids",
                          "xxl_job_log.id (" + type + ") has " + std::to_string(left)
                            + " ids left: when none is left, no job can fire",
                          "set AUTO_INCREMENT of xxl_job_log to 1: ids then continue after the newest kept run"};
}

} // namespace

std::vector<database_finding> schema_checks(connection& db, const schema_facts& facts) {
  std::vector<database_finding> out;
  for (const char* name : {"xxl_job_info", "xxl_job_log", "xxl_job_group"})
    if (auto found = narrow_texts(name, *facts.table(name)))
      out.push_back(std::move(*found));
  if (auto found = few_ids(db, facts))
    out.push_back(std::move(*found));
  auto row = db.query("SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS"
                      " WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND (EVENT_OBJECT_TABLE LIKE 'xxl\\_job\\_%'"
                      " OR EVENT_OBJECT_TABLE LIKE 'rm\\_%') ORDER BY TRIGGER_NAME LIMIT 5");
  while (row.next())
    out.push_back({level::warning, "triggers",
                   "trigger " + row.string(0) + " on " + row.string(1)
                     + ": if it refuses a row, the job or run of that row is refused",
                   "remove the trigger, unless it refuses no row"});
  return out;
}

} // namespace ringmaster::storage::mysql
