#pragma once

// The author of a request and their permissions.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// Permission of a user for the jobs and runs of one group. Each value includes those before it.
enum class group_right : std::uint8_t {
  none,
  /// See jobs, runs and logs.
  viewer,
  /// Start and stop jobs, trigger and end runs.
  operate,
  /// Everything that XXL's group permission allows: add, change and remove jobs, clear logs.
  editor
};

/// Returns `viewer`, `operator` or `editor`; empty for none.
[[nodiscard]] std::string_view stored_name(group_right) noexcept;
[[nodiscard]] std::optional<group_right> find_group_right(std::string_view name) noexcept;

/// A user, or a program of this machine. Every edit has a principal: it is refused inside its transaction without the necessary
/// permission, and recorded under the principal's name.
struct principal {
  user_id user{};
  std::string name;
  /// Has all permissions.
  bool admin = false;
  /// Permissions of a user who is not an administrator.
  std::vector<std::pair<group_id, group_right>> rights = {};
  /// Remote address of the request; empty for commands of this machine.
  std::string remote = {};

  [[nodiscard]] group_right right_in(group_id group) const noexcept {
    if (admin)
      return group_right::editor;
    const auto found = std::find_if(rights.begin(), rights.end(), [group](const auto& each) { return each.first == group; });
    return found != rights.end() ? found->second : group_right::none;
  }
  [[nodiscard]] bool may(group_right wanted, group_id group) const noexcept { return right_in(group) >= wanted; }
};

/// Returns the principal of commands that open the store themselves, of declared files and of Ringmaster itself.
[[nodiscard]] const principal& local_operator();

/// Returns `forbidden` with XXL's refusal and the user's name. `what`: continues a sentence that begins with the user, e.g.
/// `needs the permission of an administrator`.
[[nodiscard]] error not_permitted(const principal& who, std::string_view what);

/// Checks a permission in a group. Errors: `forbidden`.
[[nodiscard]] result<void> check_right(const principal& who, group_right wanted, group_id group);
/// Checks that the principal has a permission in at least one group. Errors: `forbidden`.
[[nodiscard]] result<void> check_right_anywhere(const principal& who, group_right wanted);
/// Checks that the principal is an administrator. Errors: `forbidden`.
[[nodiscard]] result<void> check_admin(const principal& who);

} // namespace ringmaster::core
