#pragma once

// Planner of elastic jobs: from the hosts and the demands of a job to a plan. Pure; the same for plans, previews and forecasts.

#include <cstdint>
#include <string_view>

#include "core/elastic/eligibility.hpp"
#include "core/elastic/host.hpp"
#include "core/elastic/plan.hpp"
#include "core/elastic/strategy.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Treatment of the items of an absent host under static sharding: they wait for it, or other hosts run them meanwhile.
enum class static_fallback : std::uint8_t { wait, borrow };

/// Input of a plan. The texts and the previous plan belong to the caller.
struct plan_request {
  /// Name of the job, from which some strategies derive an order.
  std::string_view job;
  /// Number of items.
  std::int32_t total = 0;
  /// Name of the strategy; empty: AVG_ALLOCATION.
  std::string_view strategy;
  host_order order = host_order::desc_string;
  job_needs needs;
  /// Static sharding (EJ §7.6): the first plan with hosts chooses by the strategy the home of each item; later plans keep it. New
  /// items go to the hosts with the fewest items.
  bool is_static = false;
  static_fallback fallback = static_fallback::wait;
  /// The plan before this one; null if there is none. Static sharding without one chooses new homes.
  const item_plan* previous = nullptr;
  /// Host of the last run of item 0; `no_host` if there was none.
  host_number last_runner = no_host;
  time_point now{};
};

/// Returns the plan. Without a host that may run the job, it has a reason for each item.
/// Errors: `invalid_argument` for a number of items outside 1 to `items_max`, and for a strategy whose shares assign an item
/// twice, leave an item out without a reason, or name an unknown host; `not_found` for an unknown strategy; `internal` for a
/// strategy that throws; the errors of the strategy.
[[nodiscard]] result<item_plan> make_plan(const strategy_registry& strategies, const host_list& hosts,
                                          const plan_request& request);

} // namespace ringmaster::core::elastic
