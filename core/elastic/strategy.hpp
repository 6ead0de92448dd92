#pragma once

// Strategies: pure functions that share the items of a job out to its hosts (EJ §7.4), and the registry by name.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/host.hpp"
#include "core/elastic/plan.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Input of a strategy. All parts are valid during the call.
struct strategy_input {
  /// Hosts that may run items, in the order of the job (EJ: L). The planner calls no strategy without hosts.
  std::span<const host* const> hosts;
  /// Name of the job.
  std::string_view job;
  /// Number of items, at least 1.
  std::int32_t total = 1;
  /// The plan before this one, of any number of items and with any hosts; null if there is none.
  const item_plan* previous = nullptr;
  /// Index in `hosts` of the host that follows the last runner of item 0 in the order of the job, the first after the last. Unset
  /// if item 0 has not run yet.
  std::optional<std::size_t> after_last_runner;
  time_point now{};
};

/// Returns a share for every item: a host of the input, or a reason. May fail with any error, which becomes that of the plan.
/// Must not keep state: equal inputs have equal results.
using strategy = std::function<result<std::vector<item_share>>(const strategy_input&)>;

/// Strategies by name. Filled before use; then readable from all threads.
class strategy_registry {
public:
  /// Has the strategies AVG_ALLOCATION, ODEVITY, ROUND_ROBIN, SINGLE_SHARDING_BALANCE and STICKY.
  strategy_registry();

  /// Adds a strategy. Errors: `invalid_argument` for an empty name, one with more than 64 characters, or a null function;
  /// `conflict` for a known name.
  [[nodiscard]] result<void> add(std::string name, strategy added);
  /// Returns the strategy with this name, exactly as written; AVG_ALLOCATION for an empty name. Null if there is none.
  [[nodiscard]] const strategy* find(std::string_view name) const;
  /// Returns the known names, ascending.
  [[nodiscard]] std::vector<std::string> names() const;

private:
  std::map<std::string, strategy, std::less<>> strategies_;
};

// The built-in strategies return no shares if there are no hosts, and never fail.

/// Gives the hosts successive blocks of floor(N/n) items; the first N mod n hosts get one of the remaining items each.
[[nodiscard]] result<std::vector<item_share>> avg_allocation(const strategy_input& input);
/// AVG_ALLOCATION over the hosts in reverse order if the hash of the job's name is even.
[[nodiscard]] result<std::vector<item_share>> odevity(const strategy_input& input);
/// AVG_ALLOCATION over the hosts from |hash of the job's name| mod n on.
[[nodiscard]] result<std::vector<item_share>> round_robin(const strategy_input& input);
/// One item: the host after the last runner; before the first run |hash + now| mod n, in 32 bits. More items: ROUND_ROBIN.
[[nodiscard]] result<std::vector<item_share>> single_sharding_balance(const strategy_input& input);
/// Each host gets floor(N/n) or ceil(N/n) items, and as few items as possible leave a host that has them.
[[nodiscard]] result<std::vector<item_share>> sticky(const strategy_input& input);

} // namespace ringmaster::core::elastic
