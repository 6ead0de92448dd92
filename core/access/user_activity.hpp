#pragma once

// Facts about the use of an account, for administrators.

#include <cstdint>
#include <optional>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

struct user_activity {
  user_id user{};
  /// Last sign-in that the audit log still has.
  std::optional<time_point> last_sign_in = {};
  /// Number of open sessions.
  std::int64_t sessions = 0;
  /// Number of API keys, including expired ones.
  std::int64_t keys = 0;
  /// The user has the default password (`is_known_hash`).
  bool known_password = false;
};

} // namespace ringmaster::core
