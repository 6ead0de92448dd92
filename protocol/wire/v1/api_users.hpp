#pragma once

// Users and the record of changes in /api/v1. Passwords are written and never shown. Errors of all that read:
// `invalid_argument`.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/user.hpp"
#include "core/editing/audit.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// JSON object, and arrays.
[[nodiscard]] std::string api_user_row(const core::user_card& user);
[[nodiscard]] std::string api_users(const std::vector<core::user_card>& users);
[[nodiscard]] std::string api_rights(const std::vector<std::pair<core::group_id, core::group_right>>& rights);
[[nodiscard]] std::string api_audit(const std::vector<core::audit_row>& rows);

/// `name` (a part) and `admin`.
[[nodiscard]] core::result<core::user_search> api_user_search_of(const form& sent, const api_cursor& from);

/// `user`, `object`, `object_id`.
[[nodiscard]] core::result<core::audit_search> api_audit_search_of(const form& sent, const api_cursor& from);

struct api_user {
  /// Only of a new one.
  std::string name;
  /// Empty: as it is.
  std::string password;
  bool admin = false;
  /// Nothing: as they are.
  std::optional<std::vector<std::pair<core::group_id, core::group_right>>> rights;
};
enum class user_use : std::uint8_t { add, update };
[[nodiscard]] core::result<api_user> parse_api_user(std::string_view body, user_use use);

struct api_passwords {
  std::string old_one;
  std::string new_one;
};
/// `old_password` and `password`.
[[nodiscard]] core::result<api_passwords> parse_api_passwords(std::string_view body);

} // namespace ringmaster::protocol::wire
