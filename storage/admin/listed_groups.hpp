#pragma once

// Groups as `$listed` of `sql_dialect` reads them: `,1,7,`; empty: all.

#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"

namespace ringmaster::storage {

/// Returns the list of the groups; unset: all.
[[nodiscard]] inline std::string listed_groups(const std::optional<std::vector<core::group_id>>& groups) {
  std::string out = groups ? "," : "";
  for (const auto group : groups.value_or(std::vector<core::group_id>{}))
    out += std::to_string(core::number(group)) + ',';
  return out;
}

/// Returns the list of the groups that the user may see.
[[nodiscard]] inline std::string listed_groups(const core::principal& by) {
  if (by.admin)
    return {};
  std::string out = ",";
  for (const auto& [group, right] : by.rights)
    if (right >= core::group_right::viewer)
      out += std::to_string(core::number(group)) + ',';
  return out;
}

} // namespace ringmaster::storage
