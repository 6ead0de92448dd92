#include "storage/mysql/driver/durability.hpp"

#include <string>

namespace ringmaster::storage::mysql {

namespace {

using level = database_finding::level;

constexpr const char* ids_again = ": after a crash of the server, confirmed claims may be lost, their run ids reused, "
                                  "and instants run twice";

/// Returns whether the server is a replica; false where the account may not see that.
bool is_replica(connection& db) {
  for (const auto text : {sql{"SHOW REPLICA STATUS"}, sql{"SHOW SLAVE STATUS"}}) {
    try {
      return db.query(text).next();
    } catch (const driver_error& failure) {
      if (failure.connection_lost())
        throw;
    }
  }
  return false;
}

} // namespace

std::vector<database_finding> examine_durability(connection& db) {
  std::vector<database_finding> out;
  auto row = db.query("SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog, @@read_only");
  if (!row.next())
    return out;
  const auto flush = row.number(0);
  const bool writes_binlog = row.number(1) != 0;
  const auto sync = row.number(2);
  const bool is_read_only = row.number(3) != 0;
  while (row.next()) {
  }
  if (flush != 1)
    out.push_back({level::warning, "durability",
                   "innodb_flush_log_at_trx_commit is " + std::to_string(flush) + ids_again, "set it to 1"});
  if (writes_binlog && sync != 1)
    out.push_back({level::warning, "durability",
                   "sync_binlog is " + std::to_string(sync) + ": after a crash replicas may lack confirmed commits",
                   "set it to 1"});
  if (is_read_only)
    out.push_back({level::failure, "durability", "the server is read-only: no job fires", "make it writable"});
  if (is_replica(db))
    out.push_back({level::failure, "durability",
                   "the server is a replica of another one: writes to it reach no other server, and may be lost or "
                   "applied twice", "use its source server"});
  if (out.empty())
    out.push_back({level::fine, "durability", "a confirmed commit survives a crash of the server"});
  return out;
}

} // namespace ringmaster::storage::mysql
