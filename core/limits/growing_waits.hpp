#pragma once

// Waits between attempts, separately for each key.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <unordered_map>

namespace ringmaster::core {

/// Waits that double with each failed attempt of a key, between two bounds. Owned by one actor; not thread-safe.
class growing_waits {
public:
  using duration = std::chrono::milliseconds;

  growing_waits(duration least, duration most) : least_{least}, most_{most} {}

  /// Returns the wait before the next attempt.
  [[nodiscard]] duration next(std::int64_t key) {
    auto& wait = waits_[key];
    wait = std::clamp(wait * 2, least_, most_);
    return wait;
  }

  /// Resets the key after a success: it begins with the least wait again.
  void done(std::int64_t key) {
    if (!waits_.empty())
      waits_.erase(key);
  }

  void clear() { waits_.clear(); }

  /// Returns the number of keys whose last attempt failed.
  [[nodiscard]] std::size_t size() const noexcept { return waits_.size(); }

private:
  duration least_;
  duration most_;
  std::unordered_map<std::int64_t, duration> waits_;
};

} // namespace ringmaster::core
