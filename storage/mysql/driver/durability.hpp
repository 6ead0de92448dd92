#pragma once

#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Whether a commit that was answered survives a crash of the server, and whether this server is one to write to. Throws
/// `driver_error`.
[[nodiscard]] std::vector<database_finding> examine_durability(connection& db);

} // namespace ringmaster::storage::mysql
