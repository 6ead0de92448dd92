#pragma once

// Rate limiter for the requests of one user. Pure: time is an argument.

#include <cstddef>
#include <cstdint>

#include "core/ids.hpp"
#include "core/limits/recent_map.hpp"
#include "core/limits/token_bucket.hpp"

namespace ringmaster::gateway {

/// Token buckets of the users that made requests lately, with a session or a key; used by one thread at a time. A burst may have
/// twice the requests of one second. A request that names many objects counts as that many.
class user_rate_limiter {
public:
  using time = core::token_bucket::time;

  /// Maximum number of buckets; beyond it those used longest ago are forgotten.
  static constexpr std::size_t users_max = 10'000;

  /// 0: no limit.
  explicit user_rate_limiter(std::size_t per_second) : per_second_{static_cast<std::int64_t>(per_second)} {}

  /// Returns false when the user makes requests too often. There is room again within a second.
  [[nodiscard]] bool take(core::user_id user, time now) { return per_second_ == 0 || bucket_of(user).take(now); }

  /// Takes `more` in advance for a request that was admitted: the user's next requests wait longer.
  void charge(core::user_id user, std::size_t more) {
    if (per_second_ != 0 && more != 0)
      bucket_of(user).charge(static_cast<std::int64_t>(more));
  }

  [[nodiscard]] std::size_t size() const noexcept { return users_.size(); }

private:
  core::token_bucket& bucket_of(core::user_id user) { return users_.use(core::number(user), {per_second_, 2 * per_second_}); }

  std::int64_t per_second_;
  core::recent_map<std::int32_t, core::token_bucket> users_{users_max};
};

} // namespace ringmaster::gateway
