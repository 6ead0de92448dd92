#pragma once

// Which steps of the schema a file has, and bringing it up to date.

#include <vector>

#include "core/result.hpp"
#include "storage/open.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Errors: `unsupported` for a newer schema or a file that is not ours.
[[nodiscard]] core::result<std::vector<migration_step>> missing_steps(connection& db);

/// Runs what is missing, all in one transaction: SQLite's write lock keeps a second process out, and a failure leaves the file as
/// it was. A file with tables is copied to `<file>.before-<number of the first step>` before.
[[nodiscard]] core::result<void> bring_up_to_date(connection& db, const open_options& options);

} // namespace ringmaster::storage::sqlite
