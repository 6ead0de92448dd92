#pragma once

#include <functional>
#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Returns all problems that can be found in the database beforehand. Changes nothing. `go_on`: as in `database::examine`. Throws
/// `driver_error`.
[[nodiscard]] std::vector<database_finding> examine(connection& db, const schema_facts& facts, const store_options& options,
                                                   const std::function<bool()>& go_on);

} // namespace ringmaster::storage::mysql
