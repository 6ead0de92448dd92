#pragma once

// Parts of ranges of the log.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"

namespace ringmaster::core {

/// Returns the beginning of `range`: at most `ids_max` ids.
[[nodiscard]] inline log_range cut(const log_range& range, std::int64_t ids_max) noexcept {
  const auto last = number(range.after) + ids_max;
  return {range.after, log_id{std::min(last, number(range.through))}};
}

/// Returns `range` without the ids of `kept`, which are ascending: the non-empty stretches between them.
[[nodiscard]] inline std::vector<log_range> without(const log_range& range, std::span<const log_id> kept) {
  std::vector<log_range> out;
  auto after = range.after;
  for (auto id : kept) {
    if (id <= range.after || id > range.through)
      continue;
    if (number(id) - 1 > number(after))
      out.push_back({after, log_id{number(id) - 1}});
    after = id;
  }
  if (after < range.through)
    out.push_back({after, range.through});
  return out;
}

} // namespace ringmaster::core
