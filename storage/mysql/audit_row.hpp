#pragma once

#include "core/audit.hpp"
#include "storage/mysql/connection.hpp"

namespace ringmaster::storage::mysql {

/// Inside the transaction of the change. Throws `driver_error`.
void write_audit(connection& db, const core::audit_row& row);

} // namespace ringmaster::storage::mysql
