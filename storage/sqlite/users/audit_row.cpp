#include "storage/sqlite/users/audit_row.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char insert_audit[] = "INSERT INTO rm_audit (at_ms, user_id, user_name, remote, action, object, object_id, object_name,"
                                " changes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

} // namespace

void write_audit(connection& db, const core::audit_row& row) {
  db.run(insert_audit, row.at, row.user, row.user_name, row.remote, core::stored_name(row.action), core::stored_name(row.object),
         row.object_id, row.object_name, row.changes);
}

} // namespace ringmaster::storage::sqlite
