#include "gateway/auth/user_rate_limiter.hpp"

#include <algorithm>

namespace ringmaster::gateway {

bool user_rate_limiter::take(core::user_id user, time now) {
  if (per_second_ == 0)
    return true;
  auto& found = bucket_of(user, now);
  found.full = std::max(found.full, now + kept_for);
  return found.bucket.take(now);
}

void user_rate_limiter::charge(core::user_id user, std::size_t more, time now) {
  if (per_second_ == 0 || more == 0)
    return;
  auto& found = bucket_of(user, now);
  const auto count = static_cast<std::int64_t>(more);
  found.bucket.charge(count);
  found.full = std::max(found.full, now + kept_for) + std::chrono::seconds{count / per_second_ + 1};
}

user_rate_limiter::entry& user_rate_limiter::bucket_of(core::user_id user, time now) {
  if (users_.size() >= users_max && !users_.contains(core::number(user))) {
    std::erase_if(users_, [now](const auto& each) { return now >= each.second.full; });
    // Forgets all users when there are this many; users who were close to their limit begin again.
    if (users_.size() >= users_max)
      users_.clear();
  }
  const core::token_bucket full{per_second_, 2 * per_second_};
  return users_.try_emplace(core::number(user), entry{full, now}).first->second;
}

} // namespace ringmaster::gateway
