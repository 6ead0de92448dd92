#pragma once

#include <span>

#include "core/editing/audit.hpp"
#include "storage/mysql/driver/connection.hpp"

namespace ringmaster::storage::mysql {

/// Writes the rows of an apply inside its transaction, in few statements. Throws `driver_error`.
void write_audit(connection& db, std::span<const core::audit_row> rows);

} // namespace ringmaster::storage::mysql
