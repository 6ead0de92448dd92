#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

/// Returns the names of a list that is separated by commas, without the blanks around them. Empty parts are left out.
[[nodiscard]] inline std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty())
    if (const auto name = trimmed(take_item(list)); !name.empty())
      out.emplace_back(name);
  return out;
}

} // namespace ringmaster::core::elastic
