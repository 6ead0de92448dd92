#include "storage/mysql/jobs/audit_rows.hpp"

#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

void write_audit(connection& db, std::span<const core::audit_row> rows) {
  const auto bytes_of = [&](std::size_t i) {
    return rows[i].changes.size() + rows[i].field_values.value_or("").size() + rows[i].object_name.size() + 256;
  };
  for (const auto part : chunks_within_bytes(rows.size(), bytes_of, exact_chunks)) {
    auto& some = db.prepare("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name,"
                            " changes, field_values) VALUES {(?,?,?,?,?,?,?,?,?,?),}",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& row = rows[part.at(i)];
      some.add(row.at).add(row.user).add(row.user_name).add(row.remote).add(core::stored_name(row.action));
      some.add(core::stored_name(row.object)).add(row.object_id).add(row.object_name).add(row.changes);
      some.add(row.field_values);
    }
    some.run();
  }
}

} // namespace ringmaster::storage::mysql
