#pragma once

// Which addresses fail too often.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringmaster::core {

/// Counts failures by address in minutes; of IPv6 the network of 64 bits counts as one address. Used by one thread at a time; the
/// clock is the caller's.
class failure_meter {
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

  [[nodiscard]] std::size_t size() const noexcept { return minutes_.size(); }

private:
  struct minute {
    time begin{};
    std::size_t failures = 0;
  };

  void make_room(time now);

  std::unordered_map<std::string, minute> minutes_;
};

} // namespace ringmaster::core
