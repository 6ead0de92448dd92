#pragma once

#include <vector>

#include "storage/open.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Returns all problems that can be found in the rows beforehand. Changes nothing.
[[nodiscard]] core::result<std::vector<database_finding>> examine(connection& db, const store_options& options);

} // namespace ringmaster::storage::sqlite
