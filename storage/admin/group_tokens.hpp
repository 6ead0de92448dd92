#pragma once

#include <string_view>

#include "core/job/group.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Replaces the group's token by `token`, empty for none; the previous one stays valid for `core::group_token_overlap`. Called
/// inside a transaction that holds the group's row.
void replace_group_token(admin_session& own, core::group_id group, std::string_view token, core::time_point now);

} // namespace ringmaster::storage
