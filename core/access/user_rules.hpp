#pragma once

// What may be a user's name and password, and the list of groups that goes with him, as people type them (XXL admin §8.10). Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "core/access/user.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// Without the blanks around it from 4 to 20 characters, none of them a control character. Errors: `invalid_argument` with
/// `user_name_empty` or `name_length`.
[[nodiscard]] result<void> check_user_name(std::string_view typed);

/// As long as who reads it in `form` allows: of XXL's forms, which Java admins read, from 4 to 20 characters without the blanks
/// around it, of ours from 8 characters to 1024 bytes. Errors: `invalid_argument` with `password_empty`, `name_length` or
/// `password_short`; of a long one that is too long with `too_long`.
[[nodiscard]] result<void> check_password(std::string_view typed, password_form form);

/// What counts in every form: that it is not empty, and not longer than 1024 bytes. Errors: as above.
[[nodiscard]] result<void> check_password(std::string_view typed);

/// `1,3,5`: `editor` in each, ascending, once each; blank items are passed over. Errors: `invalid_argument` for an item that is
/// no id, with `too_long` for a list that its column does not hold.
[[nodiscard]] result<std::vector<std::pair<group_id, group_right>>> parse_permission(std::string_view list);

/// The groups with `editor`, in their order; empty when there is none.
[[nodiscard]] std::string permission_text(const std::vector<std::pair<group_id, group_right>>& rights);

} // namespace ringmaster::core
