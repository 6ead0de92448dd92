#pragma once

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"

namespace ringmaster::storage::mysql {

/// What information_schema says of the connection's database: a few queries, once a connection. Throws `driver_error`.
[[nodiscard]] schema_facts read_schema(connection& db);

} // namespace ringmaster::storage::mysql
