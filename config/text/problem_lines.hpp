#pragma once

// Error with one line for each of several problems. Internal to config.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::config {

/// Returns `invalid_argument` with the lines joined by line feeds.
[[nodiscard]] inline core::error to_error(const std::vector<std::string>& lines) {
  core::error out{core::errc::invalid_argument, {}};
  for (const std::string& line : lines)
    out.context.append(out.context.empty() ? "" : "\n").append(line);
  return out;
}

} // namespace ringmaster::config
