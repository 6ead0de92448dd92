#pragma once

// Permission that a route requires, as the route table declares it.

#include <cstdint>

namespace ringmaster::gateway {

enum class access : std::uint8_t {
  anyone,
  /// Token rules of XXL wire §1.3; refused with HTTP 200 and XXL's texts.
  executor,
  /// A request from this machine, or the access token as a bearer token.
  operators,
  // -- require a session --
  any_user,
  /// The next three require this permission in the group of the request. The actor that does the work checks it on the stored
  /// object; these values only feed the table of permissions.
  viewer,
  operate,
  editor,
  /// Checked here, and again by the actor that does the work.
  admin,
};

[[nodiscard]] constexpr bool needs_session(access who) noexcept { return who >= access::any_user; }

/// Permission of a route. It has no default: a route without one does not compile.
struct permission {
  constexpr permission(access who) noexcept : who{who} {}
  access who;
  /// Also allowed for a user who must change the password before anything else.
  bool before_password_change = false;

  [[nodiscard]] constexpr permission even_before_password_change() const noexcept {
    auto changed = *this;
    changed.before_password_change = true;
    return changed;
  }
};

} // namespace ringmaster::gateway
