#pragma once

#include "storage/mysql/driver/connection.hpp"
#include "storage/rows/retired_incarnations.hpp"

namespace ringmaster::storage::mysql {

/// Locks the row of retired incarnations until the end of the transaction, so that entering nodes and removals of nodes take
/// turns. Returns the highest incarnation of a node whose row is gone. Throws `driver_error`.
[[nodiscard]] inline std::int64_t lock_retired_incarnations(connection& db) {
  db.execute("INSERT INTO rm_edit (id, counter) VALUES (?, 0) ON DUPLICATE KEY UPDATE counter = counter", retired_incarnations);
  auto row = db.query("SELECT counter FROM rm_edit WHERE id = ? FOR UPDATE", retired_incarnations);
  return row.next() ? row.number(0) : 0;
}

} // namespace ringmaster::storage::mysql
