#pragma once

// Steps of a schema. Every backend has the same numbers and names, with its own statements. A released step never changes; a
// schema change is a new step in both backends.

#include <span>
#include <vector>

#include "core/result.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage {

/// Returns all steps of this release in ascending order. Implemented in `sqlite/schema/migrations.cpp` and
/// `mysql/schema/migrations.cpp` (with `later_migrations.cpp`).
[[nodiscard]] std::span<const migration_step> sqlite_migrations();
[[nodiscard]] std::span<const migration_step> mysql_migrations();

/// Returns the steps whose number is not in `applied` (the rows of `rm_migration`), in order. Errors: `unsupported` when
/// `applied` has a number that `known` does not have: a newer release wrote the schema.
[[nodiscard]] core::result<std::vector<migration_step>> steps_to_run(std::span<const migration_step> known,
                                                                     std::span<const int> applied);

} // namespace ringmaster::storage
