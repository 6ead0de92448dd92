#pragma once

// Static sharding: each item belongs to one host, its home, over restarts and absences (EJ §7.6). Used only by the planner.

#include <cstdint>
#include <vector>

#include "core/elastic/plan.hpp"
#include "core/elastic/planner.hpp"
#include "core/elastic/strategy.hpp"

namespace ringmaster::core::elastic {

/// Returns whether an item below `total` has a home in this plan, which may be null.
[[nodiscard]] bool has_homes(const item_plan* previous, std::int32_t total) noexcept;

/// Returns shares that keep the homes of the previous plan. Items of an absent home wait, or are borrowed by the hosts with the
/// fewest items; a borrowing host keeps them until the home returns. Items without a home go to the hosts with the fewest items,
/// and get the reason `reason` if there are no hosts.
[[nodiscard]] std::vector<item_share> static_shares(const strategy_input& input, gap_reason reason, static_fallback fallback);

} // namespace ringmaster::core::elastic
