#pragma once

#include <span>

#include "core/editing/audit.hpp"
#include "storage/mysql/driver/connection.hpp"

namespace ringmaster::storage::mysql {

/// Writes a row inside the transaction of the change. Throws `driver_error`.
void write_audit(connection& db, const core::audit_row& row);
void write_audit(connection& db, std::span<const core::audit_row> rows);

} // namespace ringmaster::storage::mysql
