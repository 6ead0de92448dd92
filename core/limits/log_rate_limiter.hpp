#pragma once

// Limits log lines that remote clients can cause as often as they like.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ringmaster::core {

/// Limiter of log lines per second. Unlike a token bucket, it counts whole seconds and what was left out, so that the next line
/// can tell the number. Used by one thread or one actor.
class log_rate_limiter {
public:
  using steady = std::chrono::steady_clock::time_point;

  explicit log_rate_limiter(std::uint32_t a_second_max = 1) noexcept : a_second_max_{a_second_max} {}

  /// Returns the suffix of a line that may be written now: empty, or the number of lines left out before it. Unset: the line is
  /// left out.
  [[nodiscard]] std::optional<std::string> admit(steady now) {
    if (now >= next_) {
      next_ = now + std::chrono::seconds{1};
      written_ = 0;
    }
    if (written_ >= a_second_max_) {
      ++left_out_;
      return std::nullopt;
    }
    ++written_;
    const auto before = std::exchange(left_out_, 0);
    return before == 0 ? std::string{} : " (" + std::to_string(before) + " similar messages suppressed)";
  }

private:
  std::uint32_t a_second_max_;
  std::uint32_t written_ = 0;
  /// End of the present second.
  steady next_{};
  std::uint64_t left_out_ = 0;
};

} // namespace ringmaster::core
