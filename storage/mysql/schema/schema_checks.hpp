#pragma once

#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// What lets the statements of a usable schema fail: a character set that cannot hold every text, ids of the log that run out,
/// triggers that somebody added. Only findings that are not fine. Throws `driver_error`.
[[nodiscard]] std::vector<database_finding> schema_checks(connection& db, const schema_facts& facts);

} // namespace ringmaster::storage::mysql
