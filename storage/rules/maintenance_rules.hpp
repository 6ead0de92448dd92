#pragma once

// Rules of log maintenance for both backends.

#include <algorithm>
#include <span>
#include <vector>

#include "core/maintenance/log_maintenance.hpp"
#include "storage/maintenance_store.hpp"

namespace ringmaster::storage {

/// Returns `range`, cut to the length that one call reads.
[[nodiscard]] inline core::log_range cut(const core::log_range& range) noexcept {
  const auto last = core::number(range.after) + maintenance_store::ids_per_call;
  return {range.after, core::log_id{std::min(last, core::number(range.through))}};
}

/// Returns `range` without the ids of `kept`, which are ascending: the non-empty stretches between them.
[[nodiscard]] inline std::vector<core::log_range> without(const core::log_range& range, std::span<const core::log_id> kept) {
  std::vector<core::log_range> out;
  auto after = range.after;
  for (auto id : kept) {
    if (id <= range.after || id > range.through)
      continue;
    if (core::number(id) - 1 > core::number(after))
      out.push_back({after, core::log_id{core::number(id) - 1}});
    after = id;
  }
  if (after < range.through)
    out.push_back({after, range.through});
  return out;
}

} // namespace ringmaster::storage
