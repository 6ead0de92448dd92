#pragma once

// Search and order of executor groups, which are few enough to be read whole.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/editing/group_draft.hpp"
#include "core/ids.hpp"

namespace ringmaster::core {

enum class group_order : std::uint8_t { app_name, title, id };

struct group_find {
  /// A part of the app name or the title, without regard to the case of the letters a to z, or an id; empty: all.
  std::string part = {};
  /// Unset: the order in which the store lists groups, ascending by app name.
  std::optional<group_order> order = {};
  bool descending = false;
};

/// Returns the groups that match, in the wanted order.
[[nodiscard]] std::vector<group_record> find_groups(std::vector<group_record> groups, const group_find& wanted);

/// Numbers of what belongs to a group besides its row.
struct group_figures {
  group_id group{};
  std::int64_t jobs = 0;
  /// The group has a token of its own.
  bool has_token = false;
};

} // namespace ringmaster::core
