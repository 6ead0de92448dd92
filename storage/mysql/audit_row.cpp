#include "storage/mysql/audit_row.hpp"

namespace ringmaster::storage::mysql {

void write_audit(connection& db, const core::audit_row& row) {
  db.execute("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes)"
             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
             row.at, row.user, row.user_name, row.remote, core::stored_name(row.action), core::stored_name(row.object),
             row.object_id, row.object_name, row.changes);
}

} // namespace ringmaster::storage::mysql
