#pragma once

// Messages about the caller's own account: settings, and the sign-in with a link. Included by admin_messages.hpp.

#include <string>

#include "core/access/principal.hpp"
#include "core/access/user_settings.hpp"

namespace ringmaster::protocol {

/// Signs in with the token of the server's one-time link.
struct one_time_sign_in {
  std::string token;
  std::string remote;
};

/// Asks for the caller's settings of the console.
struct user_settings_query {
  core::principal by;
};

struct user_settings_found {
  core::user_settings settings;
};

/// Replaces the caller's settings of the console.
struct save_user_settings {
  core::user_settings settings;
  core::principal by;
};

} // namespace ringmaster::protocol
