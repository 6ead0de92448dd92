// STICKY: balanced shares with as few moved items as possible.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/elastic/item_queue.hpp"
#include "core/elastic/strategy.hpp"
#include "core/ids.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Items of the previous plan: those of each host of the input, and all others.
struct present_items {
  std::vector<item_queue> owned;
  std::vector<planned_range> free;
};

present_items find_present(const strategy_input& input) {
  std::unordered_map<std::int32_t, std::size_t> positions;
  for (std::size_t i = 0; i < input.hosts.size(); ++i)
    positions.emplace(number(input.hosts[i]->number), i);
  present_items found{std::vector<item_queue>(input.hosts.size()), {}};
  for_each_range(input.previous, input.total, [&](item_range items, const item_owner& owner) {
    if (const auto known = positions.find(number(owner.host)); known != positions.end())
      found.owned[known->second].add({items, owner});
    else
      found.free.push_back({items, owner});
  });
  return found;
}

/// Returns how many items each host gets. The hosts that already have more than floor(N/n) come first for one item more: each of
/// them saves a move.
std::vector<std::int32_t> find_quotas(const std::vector<item_queue>& owned, std::int32_t total) {
  const auto hosts = static_cast<std::int32_t>(owned.size());
  std::vector<std::int32_t> quotas(owned.size(), total / hosts);
  auto remaining = total % hosts;
  for (const bool saves_move : {true, false})
    for (std::size_t i = 0; i < owned.size() && remaining > 0; ++i)
      if ((owned[i].size() > total / hosts) == saves_move) {
        ++quotas[i];
        --remaining;
      }
  return quotas;
}

void append_items(item_share& share, const std::vector<planned_range>& ranges) {
  for (const auto& each : ranges)
    share.items.push_back(each.items);
}

} // namespace

result<std::vector<item_share>> sticky(const strategy_input& input) {
  std::vector<item_share> shares;
  if (input.hosts.empty())
    return shares;
  auto [owned, free] = find_present(input);
  const auto quotas = find_quotas(owned, input.total);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    shares.push_back({{input.hosts[i]->number}, {}});
    append_items(shares[i], owned[i].take(quotas[i]));
    for (const auto& surplus : owned[i].take(owned[i].size()))
      free.push_back(surplus);
  }
  std::sort(free.begin(), free.end(),
            [](const planned_range& left, const planned_range& right) { return left.items.first < right.items.first; });
  item_queue moving;
  for (const auto& each : free)
    moving.add(each);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::int32_t has = 0;
    for (const auto items : shares[i].items)
      has += items.last - items.first + 1;
    append_items(shares[i], moving.take(quotas[i] - has));
  }
  return shares;
}

} // namespace ringmaster::core::elastic
