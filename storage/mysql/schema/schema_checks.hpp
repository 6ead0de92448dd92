#pragma once

#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Returns causes of failing statements on a usable schema: a character set that cannot hold every text, exhausted ids of the
/// log, triggers that other programs added. Returns problems only. Throws `driver_error`.
[[nodiscard]] std::vector<database_finding> schema_checks(connection& db, const schema_facts& facts);

} // namespace ringmaster::storage::mysql
