#pragma once

// Which addresses show wrong tokens too often, and which tokens were right there before.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringmaster::core {

/// Counts failures by address in minutes; of IPv6 the network of 64 bits counts as one address. Used by one thread at a time; the
/// clock is the caller's.
class failure_rate_limiter {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::size_t a_minute_max = 100;
  /// What is counted at once; beyond it counting begins anew.
  static constexpr std::size_t addresses_max = 10'000;

  enum class verdict : std::uint8_t {
    few,
    /// The first one too many of its minute.
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

  void make_room(time now);

  std::unordered_map<std::string, minute> minutes_;
};

/// Pairs of an address and a token that was right there a while ago. Clients that show such a token are not held up by wrong
/// tokens of the same address: many executors may stand behind one address, and one of them may have an old token. A pair proves
/// nothing: the token is compared again. Of IPv6 the network of 64 bits counts as one address. Used by one thread at a time.
class known_tokens {
public:
  using time = failure_rate_limiter::time;

  static constexpr std::chrono::minutes kept_for{10};
  static constexpr std::size_t pairs_max = 10'000;

  /// Remembers that `token` was right when it came from `remote`.
  void keep(std::string_view remote, std::string_view token, time now);
  [[nodiscard]] bool contains(std::string_view remote, std::string_view token, time now) const;

  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }

private:
  /// By network and token: when it was right last.
  std::unordered_map<std::string, time> seen_;
};

} // namespace ringmaster::core
