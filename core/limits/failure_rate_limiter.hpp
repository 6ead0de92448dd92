#pragma once

// Addresses that present wrong tokens too often, and tokens that were valid there before.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/limits/recent_map.hpp"

namespace ringmaster::core {

/// Rate limiter that counts failures per address and minute. An IPv6 /64 network counts as one address. Unlike a token bucket, it
/// never limits requests that succeed, and an address that is exhausted stays so until its minute ends: a minute begins with its
/// first failure. Used by one thread at a time; the caller provides the clock.
class failure_rate_limiter {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::size_t a_minute_max = 100;
  /// Maximum number of counted addresses; beyond it those with one failure are forgotten first, and the oldest of them.
  static constexpr std::size_t addresses_max = 10'000;

  enum class verdict : std::uint8_t {
    few,
    /// The first failure above the limit of its minute.
    first_too_many,
    too_many
  };

  [[nodiscard]] verdict failed(std::string_view remote, time now);

  /// Returns true when the address has used up the failures of its minute.
  [[nodiscard]] bool is_exhausted(std::string_view remote, time now) const;

  [[nodiscard]] std::size_t size() const noexcept { return minutes_.size(); }

private:
  struct minute {
    time begin{};
    std::size_t failures = 0;
  };

  recent_map<std::string, minute> minutes_{addresses_max};
};

/// Pairs of an address and a token that was valid there recently. Clients with such a token are not blocked by wrong tokens from
/// the same address: many executors may share one address, and one of them may have an old token. A pair proves nothing: the
/// token is compared again. An IPv6 /64 network counts as one address. Used by one thread at a time.
class known_tokens {
public:
  using time = failure_rate_limiter::time;

  static constexpr std::chrono::minutes kept_for{10};
  static constexpr std::size_t pairs_max = 10'000;

  /// Remembers that `token` was valid when it came from `remote`.
  void keep(std::string_view remote, std::string_view token, time now);
  [[nodiscard]] bool contains(std::string_view remote, std::string_view token, time now) const;

  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }

private:
  /// Time of the last success, by network and token.
  recent_map<std::string, time> seen_{pairs_max};
};

} // namespace ringmaster::core
