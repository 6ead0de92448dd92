#pragma once

// Settings of the web console that a user keeps on the server, so that every browser of the user shows the same.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace ringmaster::core {

inline constexpr std::size_t start_page_bytes_max = 255;
inline constexpr std::int32_t refresh_seconds_max = 3600;

/// A row of `rm_user_settings`. An absent member stands for the console's default.
struct user_settings {
  /// Name of a language: see `core::find_language`.
  std::optional<std::string> language = {};
  /// Zone of shown times: `viewer`, `server` or `utc`.
  std::optional<std::string> zone = {};
  /// `auto`, `light` or `dark`.
  std::optional<std::string> theme = {};
  /// Path below the console's base that opens after signing in, with a slash at its front.
  std::optional<std::string> start_page = {};
  /// Seconds between two readings of a page that refreshes itself.
  std::optional<std::int32_t> refresh_s = {};
  /// Single keys act as shortcuts.
  std::optional<bool> keys = {};

  friend bool operator==(const user_settings&, const user_settings&) = default;
};

/// Checks the values of all members. Errors: `invalid_argument` that names the member.
[[nodiscard]] result<void> check_user_settings(const user_settings& settings);

} // namespace ringmaster::core
