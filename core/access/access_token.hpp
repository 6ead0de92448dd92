#pragma once

// The access token that the server and the executors of all groups share.

#include <optional>
#include <string>
#include <string_view>

#include "core/text/text.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Secrets. They never appear in a log or a reply.
struct common_tokens {
  /// Current token; blank: tokens are not checked.
  std::string current;
  /// Token that `current` replaced; empty: none.
  std::string former = {};
  /// Time until which the former token is accepted; unset: as long as it is configured.
  std::optional<time_point> former_until = {};

  friend bool operator==(const common_tokens&, const common_tokens&) = default;
};

/// Returns true while the former token is accepted in addition to the current one.
[[nodiscard]] inline bool former_counts(const common_tokens& tokens, time_point now) noexcept {
  return !is_blank(tokens.former) && (!tokens.former_until || now < *tokens.former_until);
}

/// Compares `given` with the current token and, while it is accepted, with the former one. Runs in constant time.
[[nodiscard]] inline bool is_common_token(const common_tokens& tokens, std::string_view given, time_point now) noexcept {
  const bool is_current = equal_in_constant_time(given, tokens.current);
  const bool is_former = former_counts(tokens, now) && equal_in_constant_time(given, tokens.former);
  return is_current || is_former;
}

} // namespace ringmaster::core
