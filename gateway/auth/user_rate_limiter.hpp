#pragma once

// Rate limiter for the requests of one user. Pure: time is an argument.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/ids.hpp"
#include "core/limits/token_bucket.hpp"

namespace ringmaster::gateway {

/// Token buckets of the users that made requests lately, with a session or a key; used by one thread at a time. A burst may have
/// twice the requests of one second, so a bucket is full again after two seconds and need not be kept. A request that names many
/// objects counts as that many, and its bucket is kept until it is full again.
class user_rate_limiter {
public:
  using time = core::token_bucket::time;

  static constexpr std::size_t users_max = 10'000;
  /// Time that a bucket takes to fill.
  static constexpr std::chrono::seconds kept_for{2};

  /// 0: no limit.
  explicit user_rate_limiter(std::size_t per_second) : per_second_{static_cast<std::int64_t>(per_second)} {}

  /// Returns false when the user makes requests too often. There is room again within a second.
  [[nodiscard]] bool take(core::user_id user, time now) {
    if (per_second_ == 0)
      return true;
    auto& found = bucket_of(user, now);
    found.full = std::max(found.full, now + kept_for);
    return found.bucket.take(now);
  }

  /// Takes `more` in advance for a request that was admitted: the user's next requests wait longer.
  void charge(core::user_id user, std::size_t more, time now) {
    if (per_second_ == 0 || more == 0)
      return;
    auto& found = bucket_of(user, now);
    const auto count = static_cast<std::int64_t>(more);
    found.bucket.charge(count);
    found.full = std::max(found.full, now + kept_for) + std::chrono::seconds{count / per_second_ + 1};
  }

  [[nodiscard]] std::size_t size() const noexcept { return users_.size(); }

private:
  struct entry {
    core::token_bucket bucket;
    time full;
  };

  entry& bucket_of(core::user_id user, time now) {
    // When there are too many, users who were close to their limit begin again.
    core::make_room(users_, core::number(user), users_max, [now](const auto& each) { return now >= each.second.full; });
    const core::token_bucket full{per_second_, 2 * per_second_};
    return users_.try_emplace(core::number(user), entry{full, now}).first->second;
  }

  std::int64_t per_second_;
  std::unordered_map<std::int32_t, entry> users_;
};

} // namespace ringmaster::gateway
