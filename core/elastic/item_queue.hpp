#pragma once

// Items that wait for an owner, and how they are dealt out to hosts. Used by STICKY and by static sharding.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/elastic/plan.hpp"

namespace ringmaster::core::elastic {

/// Ranges of items by ascending number, taken from the beginning. The owner of a range is kept, and means what the caller wants.
class item_queue {
public:
  /// Adds a range behind all others.
  void add(const planned_range& added);
  /// Removes and returns the first `count` items, or all if there are fewer.
  [[nodiscard]] std::vector<planned_range> take(std::int32_t count);
  /// Returns the number of items.
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }

private:
  std::vector<planned_range> ranges_;
  std::size_t next_ = 0;
  std::int32_t size_ = 0;
};

/// Returns the number of items that each host gets if each of `count` items goes to the host with the lowest load, the first of
/// equal ones. Without hosts, the result is empty.
[[nodiscard]] std::vector<std::int32_t> lowest_first(const std::vector<std::int32_t>& loads, std::int32_t count);

/// Calls `each(items, owner)` for the ranges of a plan, cut to the items below `total`, and for the items that it does not have,
/// whose owner is unassigned. `plan` may be null.
template <class Each>
void for_each_range(const item_plan* plan, std::int32_t total, Each each) {
  const auto known = plan == nullptr ? 0 : plan->total();
  if (plan != nullptr)
    for (const auto& range : plan->ranges())
      if (range.items.first < total)
        each(item_range{range.items.first, range.items.last < total ? range.items.last : total - 1}, range.owner);
  if (known < total)
    each(item_range{known, total - 1}, item_owner{no_host, gap_reason::left_out});
}

} // namespace ringmaster::core::elastic
