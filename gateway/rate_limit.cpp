#include "gateway/rate_limit.hpp"

namespace ringmaster::gateway {

bool rate_limit::take(core::user_id user, time now) {
  if (per_second_ == 0)
    return true;
  if (users_.size() >= users_max && !users_.contains(core::number(user))) {
    std::erase_if(users_, [now](const auto& each) { return now - each.second.last >= kept_for; });
    // So many within two seconds: whoever was close to his limit begins anew.
    if (users_.size() >= users_max)
      users_.clear();
  }
  const core::token_bucket full{per_second_, 2 * per_second_};
  auto& found = users_.try_emplace(core::number(user), entry{full, now}).first->second;
  found.last = now;
  return found.bucket.take(now);
}

} // namespace ringmaster::gateway
