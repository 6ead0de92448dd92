#pragma once

// Rules for user names, passwords and permission lists as users type them (XXL admin §8.10). Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "core/access/user.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// Checks that a name has 4 to 20 characters without the blanks around it, none of them a control character. Errors:
/// `invalid_argument` with `user_name_empty` or `name_length`.
[[nodiscard]] result<void> check_user_name(std::string_view typed);

/// Checks the length of a password for its stored form. XXL's forms, which Java admins read, allow 4 to 20 characters without the
/// blanks around them; Ringmaster's form allows 8 characters to 1024 bytes. Errors: `invalid_argument` with `password_empty`,
/// `name_length` or `password_short`; with `too_long` for a password of more than 1024 bytes.
[[nodiscard]] result<void> check_password(std::string_view typed, password_form form);

/// Checks the rules of every form: the password is not empty and has at most 1024 bytes. Errors: as above.
[[nodiscard]] result<void> check_password(std::string_view typed);

/// Parses a list such as `1,3,5` into `editor` in each group, ascending and without duplicates. Blank items are skipped. Errors:
/// `invalid_argument` for an item that is not an id; with `too_long` for a list that does not fit its column.
[[nodiscard]] result<std::vector<std::pair<group_id, group_right>>> parse_permission(std::string_view list);

/// Returns the groups with `editor`, in their order; empty if there are none.
[[nodiscard]] std::string permission_text(const std::vector<std::pair<group_id, group_right>>& rights);

} // namespace ringmaster::core
