#pragma once

#include "core/editing/audit.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Writes a row inside the transaction of the change.
void write_audit(connection& db, const core::audit_row& row);

} // namespace ringmaster::storage::sqlite
