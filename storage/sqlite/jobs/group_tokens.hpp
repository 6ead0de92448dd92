#pragma once

#include <string_view>

#include "core/job/group.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::storage::sqlite {

/// Replaces the group's token by `token`, empty for none; the previous one stays valid for `core::group_token_overlap`. Called
/// inside a transaction.
void replace_group_token(connection& db, core::group_id group, std::string_view token, core::time_point now);

} // namespace ringmaster::storage::sqlite
