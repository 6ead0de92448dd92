#pragma once

#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Checks whether confirmed commits survive a crash of the server, and whether this server accepts writes. Throws `driver_error`.
[[nodiscard]] std::vector<database_finding> examine_durability(connection& db);

} // namespace ringmaster::storage::mysql
