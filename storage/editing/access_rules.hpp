#pragma once

// What both backends decide alike about users and sessions.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/user.hpp"
#include "core/editing/audit.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

using group_rights = std::vector<std::pair<core::group_id, core::group_right>>;

/// Sessions that are over go with the opening of others, so many at most.
inline constexpr std::size_t old_sessions_at_once = 100;

/// Changes when the stored password does. No secret, and no protection of one.
[[nodiscard]] std::string password_mark(std::string_view password_hash);

/// `editor` in the groups of XXL's comma list, ascending; what is no id is passed over, as XXL does.
[[nodiscard]] group_rights listed_rights(std::string_view permission);

/// Of two rights in a group the higher one counts.
void add_right(group_rights& rights, core::group_id group, core::group_right right);

/// What an edit of a user writes.
struct user_edit {
  core::user_card after;
  /// XXL's list; NULL when there is nothing in it, because an empty one breaks some Java admins.
  std::optional<std::string> permission;
  /// Those that XXL's list does not say.
  group_rights finer;
  bool ends_sessions = false;
  /// In which he gets a right and had none, and which are to be there: XXL's form looks up no group.
  std::vector<core::group_id> new_groups;
  /// For the record of changes; empty: nothing is to be written.
  std::vector<std::string> changes;
};

/// `before`: nothing for a new user. Errors: `invalid_argument` with `too_long`.
[[nodiscard]] core::result<user_edit> plan_edit(const core::user_secret* before, const core::user_draft& draft);

/// Whether he still is as an edit has seen him; empty: however he is. Errors: `core::edited_meanwhile`.
[[nodiscard]] core::result<void> check_seen(const core::user_card& before, std::string_view seen);

/// `groups`: all that there are, ascending. Errors: `invalid_argument` for a right in another one.
[[nodiscard]] core::result<void> check_groups(const user_edit& edit, const std::vector<core::group_id>& groups);

/// `conflict`: nobody could make another one.
[[nodiscard]] core::error is_last_admin(const core::user_card& user);

/// `not_found`.
[[nodiscard]] core::error no_such_user(std::string_view name);
[[nodiscard]] core::error no_such_user(core::user_id user);
/// `conflict`.
[[nodiscard]] core::error name_is_taken(std::string_view name);
[[nodiscard]] core::error password_has_changed();
/// `not_found`.
[[nodiscard]] core::error no_session();

/// Errors: `forbidden` unless it is his own password.
[[nodiscard]] core::result<void> check_own_password(const core::principal& by, core::user_id user);

/// Of API keys. `not_found`.
[[nodiscard]] core::error no_such_key();
/// `conflict`.
[[nodiscard]] core::error key_is_taken();
/// Errors: `forbidden` unless it is his own, or he is an administrator.
[[nodiscard]] core::result<void> check_keys_of(const core::principal& by, core::user_id user);
/// Errors: `invalid_argument`.
[[nodiscard]] core::result<void> check_draft(const core::api_key_draft& draft, core::time_point now);
/// Errors: `too_large`.
[[nodiscard]] core::result<void> check_key_count(std::int64_t count);
/// What the record of changes says of a new key.
[[nodiscard]] std::vector<std::string> changes_of(const core::api_key_draft& draft, const core::user_card& user);

/// The record of a change of a user.
[[nodiscard]] core::audit_row audit_of_user(const core::principal& by, core::audit_action action, const core::user_card& user,
                                            const std::vector<std::string>& changes, core::time_point now);

} // namespace ringmaster::storage
