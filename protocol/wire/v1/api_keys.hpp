#pragma once

// Caller and API keys in /api/v1. Errors of all functions that read: `invalid_argument`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// `csrf_token`: empty for a caller with an API key.
[[nodiscard]] std::string api_session(const core::principal& who, bool must_change_password, std::string_view csrf_token);

/// Returns a JSON array.
[[nodiscard]] std::string api_keys(const std::vector<core::api_key>& keys);
[[nodiscard]] std::string api_new_key(core::api_key_id id, std::string_view key);

/// Reads `user`, an id.
[[nodiscard]] core::result<core::api_key_search> api_key_search_of(const form& sent, const api_cursor& from);

struct api_key_request {
  std::string name;
  std::optional<core::user_id> user;
  std::optional<core::time_point> expires;
};
/// Reads `name`, `user` (an id; default: the caller), `expires_ms` (default: never expires).
[[nodiscard]] core::result<api_key_request> parse_api_key(std::string_view body);

} // namespace ringmaster::protocol::wire
