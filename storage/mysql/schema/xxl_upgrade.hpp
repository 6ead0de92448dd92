#pragma once

// Changes of XXL's own tables, made only on request. Pure: computes the missing statements from the present schema, so an
// interrupted change continues where it stopped.

#include <optional>
#include <string>
#include <vector>

#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Returns the upgrade from any usable generation, finished or not, to the newest released one (G7), one group of statements per
/// generation. Notes name the remains of an unreleased generation, and manual steps. The facts must be usable.
[[nodiscard]] change_plan upgrade_plan(const schema_facts& facts);

/// Returns the change to the lean index profile of the log (primary key and job id), or back to the profile of the generation.
[[nodiscard]] change_plan lean_plan(const schema_facts& facts);
[[nodiscard]] change_plan full_plan(const schema_facts& facts);

/// Returns the change that adds the one index that shared mode needs on XXL's tables: jobs by status and next time.
[[nodiscard]] change_plan shared_index_plan(const schema_facts& facts);

} // namespace ringmaster::storage::mysql
