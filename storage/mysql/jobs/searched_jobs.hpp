#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/rows/job_paging.hpp"

namespace ringmaster::storage::mysql {

using group_list = std::optional<std::vector<core::group_id>>;

/// Returns the jobs of some groups (empty optional: of all) that match a search. The arguments must outlive the result. Its
/// methods throw `driver_error`.
[[nodiscard]] std::unique_ptr<job_paths> paths_of(connection& db, const core::job_search& search, const group_list& groups);

} // namespace ringmaster::storage::mysql
