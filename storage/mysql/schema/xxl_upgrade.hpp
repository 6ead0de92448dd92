#pragma once

// Changes of XXL's own tables, made only when somebody asks for them. Pure: from what is there to the statements that are
// missing, so whatever was broken off in the middle goes on where it stood.

#include <optional>
#include <string>
#include <vector>

#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// From any generation that can be used, finished or not, to the newest released one (G7), one group of statements a generation.
/// Notes name what is left of an unreleased one, and what only people can do. The facts must be usable.
[[nodiscard]] change_plan upgrade_plan(const schema_facts& facts);

/// To the lean index profile of the log (primary key and job id), or back to the one that the generation has.
[[nodiscard]] change_plan lean_plan(const schema_facts& facts);
[[nodiscard]] change_plan full_plan(const schema_facts& facts);

/// The one index that shared mode needs on XXL's tables: jobs by status and next time.
[[nodiscard]] change_plan shared_index_plan(const schema_facts& facts);

} // namespace ringmaster::storage::mysql
