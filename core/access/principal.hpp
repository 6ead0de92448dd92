#pragma once

// Who asks for something, and what they may do.

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

/// What somebody may do with the jobs and runs of one group; each includes the ones before it.
enum class group_right : std::uint8_t {
  none,
  /// See jobs, runs and logs.
  viewer,
  /// Start, stop, trigger, end runs.
  operate,
  /// Everything that XXL's group permission gives: add, change and remove jobs, clear logs.
  editor
};

/// `viewer`, `operator`, `editor`; empty for none.
[[nodiscard]] std::string_view stored_name(group_right) noexcept;
[[nodiscard]] std::optional<group_right> find_group_right(std::string_view name) noexcept;

/// A user, or a program of this machine. Every edit is asked for by one, is refused inside its transaction when he has not the
/// right to, and is written down under his name.
struct principal {
  user_id user{};
  std::string name;
  /// May everything.
  bool admin = false;
  /// Of a user who is no admin.
  std::vector<std::pair<group_id, group_right>> rights = {};
  /// Where the request came from; empty for this machine's own commands.
  std::string remote = {};

  [[nodiscard]] group_right right_in(group_id group) const noexcept {
    if (admin)
      return group_right::editor;
    const auto found = std::find_if(rights.begin(), rights.end(), [group](const auto& each) { return each.first == group; });
    return found != rights.end() ? found->second : group_right::none;
  }
  [[nodiscard]] bool may(group_right wanted, group_id group) const noexcept { return right_in(group) >= wanted; }
};

/// Commands that open the store themselves, declared files and Ringmaster itself.
[[nodiscard]] const principal& local_operator();

/// `forbidden` with XXL's refusal and the user's name.
[[nodiscard]] error not_permitted(const principal& who, std::string_view what);

/// Errors: `forbidden`.
[[nodiscard]] result<void> check_right(const principal& who, group_right wanted, group_id group);
/// Errors: `forbidden` for who is no admin.
[[nodiscard]] result<void> check_admin(const principal& who);

} // namespace ringmaster::core
