#pragma once

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"

namespace ringmaster::storage::mysql {

/// Reads the database's schema from information_schema: a few queries, once per connection. Throws `driver_error`.
[[nodiscard]] schema_facts read_schema(connection& db);

} // namespace ringmaster::storage::mysql
