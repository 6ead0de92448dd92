#pragma once

// API keys. A key belongs to one user and has that user's permissions.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/access/principal.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

inline constexpr std::size_t api_key_name_chars_max = 64;
/// Maximum number of keys per user.
inline constexpr std::size_t api_keys_max = 100;
/// Minimum time between two recorded uses of a key.
inline constexpr std::chrono::minutes api_key_use_step{1};

/// Prefix of every key, so that users and secret scanners recognise one.
inline constexpr std::string_view api_key_prefix = "rmk_";

/// Returns true if `text` is the prefix and 43 characters of base64url. No other text is ever a key.
[[nodiscard]] inline bool is_api_key(std::string_view text) noexcept {
  constexpr std::size_t random_chars = 43;
  if (!text.starts_with(api_key_prefix))
    return false;
  text.remove_prefix(api_key_prefix.size());
  return text.size() == random_chars && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

struct api_key_draft {
  /// Purpose of the key. Names need not be unique.
  std::string name;
  /// SHA-256 of the key, 64 hexadecimal digits.
  std::string digest;
  /// Owner of the key.
  user_id user{};
  /// Time from which the key is not accepted any more.
  std::optional<time_point> expires = {};
};

/// A row of `rm_api_key` without its digest.
struct api_key {
  api_key_id id{};
  std::string name;
  user_id user{};
  /// Empty if the user does not exist any more.
  std::string user_name = {};
  time_point created{};
  std::optional<time_point> expires = {};
  /// Last recorded use, to the minute.
  std::optional<time_point> used = {};
};

/// A valid key and its owner.
struct found_api_key {
  api_key_id id{};
  /// The owner with their present permissions. `remote` is empty, because it belongs to a request.
  principal who;
  std::optional<time_point> expires = {};
  std::optional<time_point> used = {};
};

/// Search for keys; the result ascends by id.
struct api_key_search {
  /// Only keys of this user.
  std::optional<user_id> user = {};
  api_key_id after{};
  std::size_t limit = 100;
};

} // namespace ringmaster::core
