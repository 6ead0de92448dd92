#include "storage/mysql/driver/schema_read.hpp"

#include <algorithm>

namespace ringmaster::storage::mysql {

namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

} // namespace

schema_facts read_schema(connection& db) {
  schema_facts out;
  auto tables =
    db.query("SELECT TABLE_NAME, COALESCE(ENGINE, '') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()");
  while (tables.next())
    out.tables[lower(tables.text(0))].engine = tables.text(1);

  auto columns = db.query(
    "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, IS_NULLABLE = 'YES', COLUMN_COMMENT,"
    " COALESCE(CHARACTER_SET_NAME, ''), EXTRA LIKE '%auto_increment%'"
    " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl\\_job\\_%'");
  while (columns.next())
    out.tables[lower(columns.text(0))].columns[lower(columns.text(1))] = {
      lower(columns.text(2)), static_cast<std::size_t>(columns.number(3)), columns.number(4) != 0, columns.string(5),
      lower(columns.text(6)), columns.number(7) != 0};

  auto keys = db.query("SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS"
                       " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl\\_job\\_%'"
                       " ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX");
  while (keys.next()) {
    auto& indexes = out.tables[lower(keys.text(0))].indexes;
    if (indexes.empty() || indexes.back().name != keys.text(1))
      indexes.push_back({keys.string(1), keys.number(2) == 0, {}});
    indexes.back().columns.push_back(lower(keys.text(3)));
  }

  if (out.column("xxl_job_lock", "lock_name"))
    out.lock_row = db.query("SELECT 1 FROM xxl_job_lock WHERE lock_name = 'schedule_lock'").next();
  return out;
}

} // namespace ringmaster::storage::mysql
