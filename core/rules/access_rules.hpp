#pragma once

// Rules about users, sessions and API keys, for both backends.

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

namespace ringmaster::core {

using group_rights = std::vector<std::pair<group_id, group_right>>;

/// Maximum number of expired sessions that are removed when a session is opened.
inline constexpr std::size_t old_sessions_at_once = 100;

/// Returns a mark that changes when the stored password does. Neither secret nor a protection of a secret.
[[nodiscard]] std::string password_mark(std::string_view password_hash);

/// Returns `editor` in the groups of XXL's comma-separated list, ascending; ignores items that are not ids, as XXL does.
[[nodiscard]] group_rights listed_rights(std::string_view permission);

/// Adds a permission. Of two permissions in a group the higher one counts.
void add_right(group_rights& rights, group_id group, group_right right);

/// The values that an edit of a user writes.
struct user_edit {
  user_card after;
  /// XXL's list; NULL when it is empty, because an empty list breaks some Java admins.
  std::optional<std::string> permission;
  /// Permissions that XXL's list cannot express.
  group_rights finer;
  bool ends_sessions = false;
  /// Groups in which the user gets a permission and had none. They must exist, because XXL's form does not check groups.
  std::vector<group_id> new_groups;
  /// Lines for the audit log; empty: there is nothing to write.
  std::vector<audit_line> changes;
};

/// Plans an edit. `before`: empty for a new user. Errors: `invalid_argument` with `too_long`.
[[nodiscard]] result<user_edit> plan_edit(const user_secret* before, const user_draft& draft);

/// Checks that the user is unchanged since the editor read them; empty `seen`: no check. Errors: `edited_meanwhile`.
[[nodiscard]] result<void> check_seen(const user_card& before, std::string_view seen);

/// Checks the groups of new permissions. `groups`: all existing groups, ascending. Errors: `invalid_argument` for a permission in
/// another group.
[[nodiscard]] result<void> check_groups(const user_edit& edit, const std::vector<group_id>& groups);

/// Returns `conflict`: without an administrator, no other one could be added.
[[nodiscard]] error is_last_admin(const user_card& user);

/// Returns `not_found`.
[[nodiscard]] error no_such_user(std::string_view name);
[[nodiscard]] error no_such_user(user_id user);
/// Returns `conflict`.
[[nodiscard]] error user_name_is_taken(std::string_view name);
[[nodiscard]] error password_has_changed();
/// Returns `not_found`.
[[nodiscard]] error no_session();
/// Errors: `forbidden` unless `user` is `by`, or `by` is an administrator.
[[nodiscard]] result<void> check_sessions_of(const principal& by, user_id user);

/// Errors: `forbidden` unless `user` is `by`.
[[nodiscard]] result<void> check_own_password(const principal& by, user_id user);

/// Returns `not_found` for an API key.
[[nodiscard]] error no_such_key();
/// Returns `conflict` for an API key.
[[nodiscard]] error key_is_taken();
/// Errors: `forbidden` unless `user` is `by`, or `by` is an administrator.
[[nodiscard]] result<void> check_keys_of(const principal& by, user_id user);
/// Errors: `invalid_argument`.
[[nodiscard]] result<void> check_draft(const api_key_draft& draft, time_point now);
/// Errors: `too_large`.
[[nodiscard]] result<void> check_key_count(std::int64_t count);
/// Returns the lines of the audit log about a new key.
[[nodiscard]] std::vector<audit_line> changes_of(const api_key_draft& draft, const user_card& user);

/// Returns the audit row of a change of a user.
[[nodiscard]] audit_row audit_of_user(const principal& by, audit_action action, const user_card& user,
                                      const std::vector<audit_line>& changes, time_point now);

} // namespace ringmaster::core
