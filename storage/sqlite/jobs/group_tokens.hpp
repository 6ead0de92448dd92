#pragma once

#include <string_view>

#include "core/job/group.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Inside a transaction: `token` from now on, empty for none; what was there may be shown for `core::group_token_overlap`.
void replace_group_token(connection& db, core::group_id group, std::string_view token, core::time_point now);

} // namespace ringmaster::storage::sqlite
