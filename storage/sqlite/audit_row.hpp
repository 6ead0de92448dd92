#pragma once

#include "core/audit.hpp"
#include "storage/sqlite/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Inside the transaction of the change.
void write_audit(connection& db, const core::audit_row& row);

} // namespace ringmaster::storage::sqlite
