#include "core/elastic/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/ids.hpp"

namespace ringmaster::core::elastic {

namespace {

constexpr std::array<std::string_view, 10> gap_words{
    "", "no_host", "draining", "clock", "no_handler", "no_listener", "no_label", "disabled", "owner_absent", "left_out",
};

std::string range_text(item_range items) {
  return items.first == items.last ? std::to_string(items.first)
                                   : std::to_string(items.first) + '-' + std::to_string(items.last);
}

/// An owner is a host or a reason; only an absent or a borrowing owner has a home, which is another host.
bool is_valid_owner(const item_owner& owner) noexcept {
  if (number(owner.host) < 0 || number(owner.home) < 0 || static_cast<std::size_t>(owner.reason) >= gap_words.size())
    return false;
  if (owner.is_assigned())
    return owner.reason == gap_reason::none && owner.home != owner.host;
  return owner.reason != gap_reason::none && (owner.reason == gap_reason::owner_absent) == (owner.home != no_host);
}

result<void> check_shares(std::int32_t total, const std::vector<item_share>& shares) {
  std::unordered_set<std::int32_t> hosts;
  for (const auto& share : shares) {
    if (!is_valid_owner(share.owner))
      return fail(errc::invalid_argument, "invalid plan: invalid owner of a share (host " +
                                              std::to_string(number(share.owner.host)) + ", home " +
                                              std::to_string(number(share.owner.home)) + ')');
    if (share.owner.is_assigned())
      hosts.insert(number(share.owner.host));
    for (const auto items : share.items)
      if (items.first < 0 || items.last < items.first || items.last >= total)
        return fail(errc::invalid_argument, "invalid plan: invalid items " + range_text(items) + "; the job has " +
                                                std::to_string(total) + " items, from 0");
  }
  if (hosts.size() > hosts_max)
    return fail(errc::too_large, "invalid plan: more than " + std::to_string(hosts_max) + " hosts");
  return {};
}

/// Checks that sorted ranges are each item once.
result<void> check_coverage(std::int32_t total, const std::vector<planned_range>& ranges) {
  std::int32_t next = 0;
  for (const auto& each : ranges) {
    if (each.items.first < next)
      return fail(errc::invalid_argument, "invalid plan: item " + std::to_string(each.items.first) + " is assigned twice");
    if (each.items.first > next)
      break;
    next = each.items.last + 1;
  }
  if (next < total)
    return fail(errc::invalid_argument, "invalid plan: item " + std::to_string(next) + " has neither a host nor a reason");
  return {};
}

/// Joins neighbours with the same owner.
std::vector<planned_range> without_seams(const std::vector<planned_range>& ranges) {
  std::vector<planned_range> made;
  for (const auto& each : ranges)
    if (!made.empty() && made.back().owner == each.owner)
      made.back().items.last = each.items.last;
    else
      made.push_back(each);
  made.shrink_to_fit();
  return made;
}

} // namespace

std::string_view to_string(gap_reason reason) noexcept {
  const auto index = static_cast<std::size_t>(reason);
  return index < gap_words.size() ? gap_words[index] : std::string_view{};
}

result<void> check_total(std::int32_t total) {
  if (total < 1 || total > items_max)
    return fail(errc::invalid_argument, "invalid number of items " + std::to_string(total) + ": a job has 1 to " +
                                            std::to_string(items_max) + " items");
  return {};
}

result<item_plan> item_plan::make(std::int32_t total, const std::vector<item_share>& shares) {
  auto checked = check_total(total);
  if (checked)
    checked = check_shares(total, shares);
  if (!checked)
    return tl::unexpected{std::move(checked.error())};
  std::vector<planned_range> ranges;
  for (const auto& share : shares)
    for (const auto items : share.items)
      ranges.push_back({items, share.owner});
  std::sort(ranges.begin(), ranges.end(), [](const planned_range& left, const planned_range& right) {
    return left.items.first < right.items.first;
  });
  if (checked = check_coverage(total, ranges); !checked)
    return tl::unexpected{std::move(checked.error())};
  item_plan made;
  made.total_ = total;
  made.ranges_ = without_seams(ranges);
  return made;
}

item_owner item_plan::owner_of(std::int32_t item) const noexcept {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), item,
                                      [](std::int32_t wanted, const planned_range& each) { return wanted < each.items.first; });
  if (after == ranges_.begin() || item >= total_)
    return {no_host, gap_reason::left_out};
  return std::prev(after)->owner;
}

std::vector<item_share> item_plan::shares() const {
  std::map<std::pair<bool, item_owner>, std::vector<item_range>> by_owner; // unassigned items last
  for (const auto& each : ranges_)
    by_owner[{!each.owner.is_assigned(), each.owner}].push_back(each.items);
  std::vector<item_share> made;
  made.reserve(by_owner.size());
  for (auto& [key, items] : by_owner)
    made.push_back({key.second, std::move(items)});
  return made;
}

std::int32_t item_plan::count_of(host_number which) const noexcept {
  std::int32_t count = 0;
  for (const auto& each : ranges_)
    if (each.owner.host == which)
      count += each.items.last - each.items.first + 1;
  return count;
}

} // namespace ringmaster::core::elastic
