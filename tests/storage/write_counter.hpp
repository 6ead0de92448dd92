#pragma once

#include <string>

#include "tests/storage/databases.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

/// Counter of rows inserted, changed and deleted so far, by triggers of the database: its own counters cover one connection only
/// (SQLite), or count a row of a partitioned table twice (MariaDB).
class write_counter {
public:
  write_counter(test_database& db, bool sqlite) : db_{db} {
    const auto tables = db_.query(sqlite ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                                         : "SELECT TABLE_NAME FROM information_schema.TABLES"
                                           " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'");
    REQUIRE(tables.size() > 10);
    db_.exec("CREATE TABLE row_writes (count INTEGER)");
    db_.exec("INSERT INTO row_writes VALUES (0)");
    const std::string each = sqlite ? " BEGIN " : " FOR EACH ROW BEGIN ";
    for (const auto& table : tables)
      for (const std::string change : {"INSERT", "UPDATE", "DELETE"})
        db_.exec("CREATE TRIGGER count_" + change + "_" + table[0] + " AFTER " + change + " ON " + table[0] + each
                 + "UPDATE row_writes SET count = count + 1; END");
  }

  [[nodiscard]] std::size_t total() { return std::stoul(db_.value("SELECT count FROM row_writes")); }

  template <class Work>
  std::size_t during(Work&& work) {
    const auto before = total();
    work();
    return total() - before;
  }

private:
  test_database& db_;
};

} // namespace ringmaster::test
