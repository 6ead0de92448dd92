#pragma once

#include <string_view>

#include "core/job/group.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Replaces the group's token by `token`, empty for none; the previous one stays valid for `core::group_token_overlap`. Called
/// inside a transaction that holds the group's row. Throws `driver_error`.
void replace_group_token(session& own, core::group_id group, std::string_view token, core::time_point now);

} // namespace ringmaster::storage::mysql
