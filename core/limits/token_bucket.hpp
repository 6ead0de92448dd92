#pragma once

// Limits how often an event may happen. What each limiter is for: docs/glossary.md, rate limiters.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ringmaster::core {

/// Token bucket: a long-term rate per second and a maximum burst. Used by one thread at a time; the caller provides the clock.
class token_bucket {
public:
  using time = std::chrono::steady_clock::time_point;

  token_bucket(std::int64_t per_second, std::int64_t burst) : per_second_{per_second}, burst_{burst}, tokens_{burst * unit} {}

  /// Takes a token. Returns false if none is left.
  [[nodiscard]] bool take(time now) noexcept {
    if (last_ == time{} || now < last_)
      last_ = now;
    // The cap is longer than it takes to fill the bucket. It avoids an overflow, however long ago the last call was.
    const auto full_after = std::chrono::microseconds{(burst_ * unit - tokens_) / per_second_ + 1};
    const auto passed = std::min(std::chrono::duration_cast<std::chrono::microseconds>(now - last_), full_after);
    last_ = now;
    tokens_ = std::min(tokens_ + passed.count() * per_second_, burst_ * unit);
    if (tokens_ < unit)
      return false;
    tokens_ -= unit;
    return true;
  }

  /// Takes `count` tokens even if fewer are left: later calls of `take` wait longer.
  void charge(std::int64_t count) noexcept { tokens_ -= count * unit; }

private:
  /// Parts of one token: a microsecond adds `per_second_` of them.
  static constexpr std::int64_t unit = 1'000'000;
  std::int64_t per_second_;
  std::int64_t burst_;
  std::int64_t tokens_;
  time last_{};
};

} // namespace ringmaster::core
