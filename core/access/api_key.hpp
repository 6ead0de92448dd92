#pragma once

// Keys with which programs come: each is one user's, and may what he may.

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
/// Of one user.
inline constexpr std::size_t api_keys_max = 100;
/// A use is written down when the one before is so long ago.
inline constexpr std::chrono::minutes api_key_use_step{1};

/// What every key begins with, so that people and programs that look for secrets know one.
inline constexpr std::string_view api_key_prefix = "rmk_";

/// The prefix and 43 characters of base64url; nothing else is ever one.
[[nodiscard]] bool is_api_key(std::string_view text) noexcept;

struct api_key_draft {
  /// What for; need not be different from others.
  std::string name;
  /// SHA-256 of the key, 64 hexadecimal digits.
  std::string digest;
  /// Whose it is.
  user_id user{};
  /// It is nothing from then on.
  std::optional<time_point> expires = {};
};

/// A row of `rm_api_key` without its digest.
struct api_key {
  api_key_id id{};
  std::string name;
  user_id user{};
  /// Empty: he is gone.
  std::string user_name = {};
  time_point created{};
  std::optional<time_point> expires = {};
  /// To the minute.
  std::optional<time_point> used = {};
};

/// What a key says about who comes with it.
struct found_api_key {
  api_key_id id{};
  /// The user, with the rights that he has now; `remote` is empty, because it is that of a request.
  principal who;
  std::optional<time_point> expires = {};
  std::optional<time_point> used = {};
};

/// Ascending by id.
struct api_key_search {
  /// Only his.
  std::optional<user_id> user = {};
  api_key_id after{};
  std::size_t limit = 100;
};

} // namespace ringmaster::core
