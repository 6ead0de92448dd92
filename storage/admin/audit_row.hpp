#pragma once

#include "core/editing/audit.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Writes a row inside the transaction of the change.
void write_audit(admin_session& own, const core::audit_row& row);

} // namespace ringmaster::storage
