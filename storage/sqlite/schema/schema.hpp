#pragma once

// Missing steps of a file's schema, and their execution.

#include <vector>

#include "core/result.hpp"
#include "storage/open.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Errors: `unsupported` for a newer schema or a file of another program.
[[nodiscard]] core::result<std::vector<migration_step>> missing_steps(connection& db);

/// Runs the missing steps, all in one transaction: SQLite's write lock keeps a second process out, and a failure leaves the file
/// unchanged. A file with tables is first copied to `<file>.before-<number of the first step>`.
[[nodiscard]] core::result<void> bring_up_to_date(connection& db, const open_options& options);

} // namespace ringmaster::storage::sqlite
