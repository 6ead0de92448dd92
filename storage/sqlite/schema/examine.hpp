#pragma once

#include <functional>
#include <vector>

#include "storage/open.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Returns all problems that can be found in the rows beforehand. Changes nothing. `go_on`: as in `database::examine`.
[[nodiscard]] core::result<std::vector<database_finding>> examine(connection& db, const store_options& options,
                                                                  const std::function<bool()>& go_on);

} // namespace ringmaster::storage::sqlite
