#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "storage/rows/job_paging.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

using group_list = std::optional<std::vector<core::group_id>>;

/// Returns the jobs of some groups (empty optional: of all) that match a search. The arguments must outlive the result.
[[nodiscard]] std::unique_ptr<job_paths> paths_of(connection& db, const core::job_search& search, const group_list& groups);

} // namespace ringmaster::storage::sqlite
