#pragma once

#include "storage/mysql/driver/connection.hpp"
#include "storage/rows/past_lives.hpp"

namespace ringmaster::storage::mysql {

/// Locks the row of past lives until the end of the transaction: whoever enters and whoever removes nodes take turns. The highest
/// incarnation that was given out to a node whose row is gone. Throws `driver_error`.
[[nodiscard]] inline std::int64_t lock_past_lives(connection& db) {
  db.execute("INSERT INTO rm_edit (id, counter) VALUES (?, 0) ON DUPLICATE KEY UPDATE counter = counter", past_lives);
  auto row = db.query("SELECT counter FROM rm_edit WHERE id = ? FOR UPDATE", past_lives);
  return row.next() ? row.number(0) : 0;
}

} // namespace ringmaster::storage::mysql
