#pragma once

// The token between the server and the executors of all groups.

#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace ringmaster::core {

/// Secrets: never in a log or a reply.
struct common_tokens {
  /// Blank: tokens are not checked.
  std::string current;
  /// The one that it replaced; empty: none.
  std::string former = {};
  /// Until then the former one counts; nothing: as long as it is configured.
  std::optional<time_point> former_until = {};

  friend bool operator==(const common_tokens&, const common_tokens&) = default;
};

/// Returns true while the former token is taken beside the current one.
[[nodiscard]] bool former_counts(const common_tokens& tokens, time_point now) noexcept;

/// Compares `given` with the current token, and with the former one while that counts. In constant time.
[[nodiscard]] bool is_common_token(const common_tokens& tokens, std::string_view given, time_point now) noexcept;

} // namespace ringmaster::core
