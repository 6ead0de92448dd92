#include "storage/admin/audit_row.hpp"

namespace ringmaster::storage {

void write_audit(admin_session& own, const core::audit_row& row) {
  own.execute("INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name, changes,"
              " field_values) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              row.at, row.user, row.user_name, row.remote, core::stored_name(row.action), core::stored_name(row.object),
              row.object_id, row.object_name, row.changes, row.field_values);
}

} // namespace ringmaster::storage
