#pragma once

#include <chrono>
#include <string>

namespace ringmaster::actors {

/// Sign-in of one user without a password, once, until `lifetime` after the start of user_admin. Only the server of `ringmaster
/// demo` has one.
struct one_time_link {
  /// Digest of the token, as `session_tokens::digest` makes it.
  std::string digest;
  /// Name of the user.
  std::string user;
  std::chrono::milliseconds lifetime{};
};

} // namespace ringmaster::actors
