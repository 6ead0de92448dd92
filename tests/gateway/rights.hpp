#pragma once

// Tables of permissions: a letter for each role.

#include <array>
#include <string_view>

#include "gateway/auth/route_access.hpp"

namespace ringmaster::test {

/// Roles in the order of the letters below; the first is an unknown session.
inline constexpr std::array<const char*, 6> roles{"forged", "stranger", "viewer", "operator", "editor", "admin"};

// For each role `+` served, `-` refused, `>` sent to the sign-in page (or, when signed in, away from it).
inline constexpr const char* viewers = ">-++++";
inline constexpr const char* operators = ">--+++";
inline constexpr const char* editors = ">---++";
inline constexpr const char* admins = ">----+";
inline constexpr const char* users = ">+++++";
inline constexpr const char* everybody = "++++++";
inline constexpr const char* nobody = "------";
inline constexpr const char* visitors = "+>>>>>";

/// Returns the letters of a declared permission in an own group.
inline std::string_view own_rights(gateway::access who) {
  switch (who) {
  case gateway::access::any_user: return users;
  case gateway::access::viewer: return viewers;
  case gateway::access::operate: return operators;
  case gateway::access::editor: return editors;
  case gateway::access::admin: return admins;
  case gateway::access::anyone:
  case gateway::access::executor:
  case gateway::access::operators: break;
  }
  return {};
}

/// Routes of /api/v1 are in api_rights_test, all others in web_rights_test.
inline bool is_of_api(std::string_view path) { return path.starts_with("/api/v1/"); }

} // namespace ringmaster::test
