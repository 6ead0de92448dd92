#pragma once

// Who may call a route, as the route table declares it.

#include <cstdint>

namespace ringmaster::gateway {

enum class access : std::uint8_t {
  anyone,
  /// The token rules of XXL wire §1.3; refused with HTTP 200 and XXL's texts.
  executor,
  /// This machine, or the access token as a bearer.
  operators,
  // -- with a session --
  any_user,
  /// These three: with that right in the group that the request is about, which the actor that does the work checks on the stored
  /// object. Here they only stand for the table of rights.
  viewer,
  operate,
  editor,
  /// Checked here, and again where the work is done.
  admin,
};

[[nodiscard]] constexpr bool needs_session(access who) noexcept { return who >= access::any_user; }

/// Has no default: a route without one does not compile.
struct permission {
  constexpr permission(access who) noexcept : who{who} {}
  access who;
  /// Also for who must choose another password before anything else.
  bool before_password_change = false;

  [[nodiscard]] constexpr permission even_before_password_change() const noexcept {
    auto changed = *this;
    changed.before_password_change = true;
    return changed;
  }
};

} // namespace ringmaster::gateway
