#pragma once

// How a backend describes its schema: numbered steps, the same numbers and names in every backend, each with its own statements.
// A step that was released never changes; a schema change is a new step in both backends.

#include <span>
#include <vector>

#include "core/result.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage {

/// All steps of this release, in ascending order. Implemented in `sqlite/migrations.cpp` and `mysql/migrations.cpp`.
[[nodiscard]] std::span<const migration_step> sqlite_migrations();
[[nodiscard]] std::span<const migration_step> mysql_migrations();

/// The steps whose number is not in `applied` (the rows of `rm_migration`), in order. Errors: `unsupported` when `applied` has a
/// number that `known` has not: a newer release wrote the schema.
[[nodiscard]] core::result<std::vector<migration_step>> steps_to_run(std::span<const migration_step> known,
                                                                     std::span<const int> applied);

} // namespace ringmaster::storage
