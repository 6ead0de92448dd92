#pragma once

#include <string_view>

#include "core/job/group.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Inside a transaction that holds the group's row: `token` from now on, empty for none; what was there may be shown for
/// `core::group_token_overlap`. Throws `driver_error`.
void replace_group_token(session& own, core::group_id group, std::string_view token, core::time_point now);

} // namespace ringmaster::storage::mysql
