#pragma once

// Users, API keys and the audit log in /api/v1. Passwords can be written and are never shown. Errors of all functions that read:
// `invalid_argument`.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/session.hpp"
#include "core/access/user.hpp"
#include "core/editing/audit.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Return a JSON object, and arrays.
[[nodiscard]] std::string api_user_row(const core::user_card& user);
[[nodiscard]] std::string api_users(const std::vector<core::user_card>& users);
[[nodiscard]] std::string api_rights(const std::vector<std::pair<core::group_id, core::group_right>>& rights);
[[nodiscard]] std::string api_audit(const std::vector<core::audit_row>& rows);

/// Reads `name` (a part) and `admin`.
[[nodiscard]] core::result<core::user_search> api_user_search_of(const form& sent, const api_cursor& from);

/// Returns the page of a list of changes that begins at the cursor.
[[nodiscard]] core::audit_search api_changes_window_of(const api_cursor& from);
/// Reads `user`, `object`, `object_id`, `action`, `from_ms`, `to_ms` and `q`.
[[nodiscard]] core::result<core::audit_search> api_audit_search_of(const form& sent, const api_cursor& from);

struct api_user {
  /// Only for a new user.
  std::string name;
  /// Empty: unchanged.
  std::string password;
  bool admin = false;
  /// Without a value: unchanged.
  std::optional<std::vector<std::pair<core::group_id, core::group_right>>> rights;
};
enum class user_use : std::uint8_t { add, update };
[[nodiscard]] core::result<api_user> parse_api_user(std::string_view body, user_use use);

struct api_passwords {
  std::string old_one;
  std::string new_one;
};
/// Reads `old_password` and `password`.
[[nodiscard]] core::result<api_passwords> parse_api_passwords(std::string_view body);

/// `csrf_token`: empty for a caller with an API key.
[[nodiscard]] std::string api_session(const core::principal& who, bool must_change_password, std::string_view csrf_token);

/// Returns a JSON array.
[[nodiscard]] std::string api_keys(const std::vector<core::api_key>& keys);
[[nodiscard]] std::string api_new_key(core::api_key_id id, std::string_view key);

/// Reads `user`, an id.
[[nodiscard]] core::result<core::api_key_search> api_key_search_of(const form& sent, const api_cursor& from);

/// Returns a JSON array; `current`: the caller's own session is marked.
[[nodiscard]] std::string api_sessions(const std::vector<core::open_session>& sessions, std::optional<core::session_id> current);

/// Reads `user`, an id. Errors: `invalid_argument`.
[[nodiscard]] core::result<core::session_search> api_session_search_of(const form& sent, const api_cursor& from);

struct api_key_request {
  std::string name;
  std::optional<core::user_id> user;
  std::optional<core::time_point> expires;
};
/// Reads `name`, `user` (an id; default: the caller), `expires_ms` (default: never expires).
[[nodiscard]] core::result<api_key_request> parse_api_key(std::string_view body);

} // namespace ringmaster::protocol::wire
