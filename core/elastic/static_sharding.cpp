#include "core/elastic/static_sharding.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/elastic/item_queue.hpp"
#include "core/ids.hpp"

namespace ringmaster::core::elastic {

namespace {

host_number home_of(const item_owner& owner) noexcept { return owner.home != no_host ? owner.home : owner.host; }

/// Assigns ranges and counts the items of each host.
class static_assignment {
public:
  explicit static_assignment(std::span<const host* const> hosts) : hosts_(hosts), loads_(hosts.size()) {
    for (std::size_t i = 0; i < hosts.size(); ++i)
      positions_.emplace(number(hosts[i]->number), i);
  }

  [[nodiscard]] bool is_present(host_number which) const { return positions_.contains(number(which)); }

  /// Assigns items to a host that is present.
  void assign(item_range items, host_number to, host_number home) {
    loads_[positions_.at(number(to))] += items.last - items.first + 1;
    shares_.push_back({{to, gap_reason::none, home == to ? no_host : home}, {items}});
  }

  /// Leaves items without a host.
  void leave(item_range items, gap_reason reason, host_number home) {
    shares_.push_back({{no_host, reason, home}, {items}});
  }

  /// Deals items out to the hosts with the fewest items. Requires a host unless there are no items.
  void deal(item_queue& items) {
    const auto given = lowest_first(loads_, items.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      for (const auto& each : items.take(given[i]))
        assign(each.items, hosts_[i]->number, each.owner.home != no_host ? each.owner.home : hosts_[i]->number);
  }

  [[nodiscard]] std::vector<item_share> take() { return std::move(shares_); }

private:
  std::span<const host* const> hosts_;
  std::unordered_map<std::int32_t, std::size_t> positions_;
  /// Items by position in `hosts_`.
  std::vector<std::int32_t> loads_;
  std::vector<item_share> shares_;
};

} // namespace

bool has_homes(const item_plan* previous, std::int32_t total) noexcept {
  if (previous == nullptr)
    return false;
  return std::any_of(previous->ranges().begin(), previous->ranges().end(), [&](const planned_range& each) {
    return each.items.first < total && home_of(each.owner) != no_host;
  });
}

std::vector<item_share> static_shares(const strategy_input& input, gap_reason reason, static_fallback fallback) {
  static_assignment made{input.hosts};
  item_queue homeless, lent;
  for_each_range(input.previous, input.total, [&](item_range items, const item_owner& owner) {
    const auto home = home_of(owner);
    if (home == no_host)
      homeless.add({items, owner});
    else if (made.is_present(home))
      made.assign(items, home, home);
    else if (fallback == static_fallback::wait || input.hosts.empty())
      made.leave(items, gap_reason::owner_absent, home);
    else if (made.is_present(owner.host))
      made.assign(items, owner.host, home);
    else
      lent.add({items, {no_host, gap_reason::owner_absent, home}});
  });
  if (input.hosts.empty())
    for (const auto& each : homeless.take(homeless.size()))
      made.leave(each.items, reason, no_host);
  made.deal(homeless);
  made.deal(lent);
  return made.take();
}

} // namespace ringmaster::core::elastic
