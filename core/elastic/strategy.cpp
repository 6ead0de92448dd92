#include "core/elastic/strategy.hpp"

#include <algorithm>
#include <utility>

#include "core/elastic/java_hash.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

constexpr std::string_view default_strategy = "AVG_ALLOCATION";

/// Gives the hosts in this order AVG_ALLOCATION's shares.
std::vector<item_share> average_shares(const std::vector<const host*>& hosts, std::int32_t total) {
  std::vector<item_share> shares;
  if (hosts.empty())
    return shares;
  const auto count = static_cast<std::int32_t>(hosts.size());
  const auto each = total / count, remaining = total % count;
  for (std::int32_t k = 0; k < count; ++k) {
    item_share share{{hosts[static_cast<std::size_t>(k)]->number}, {}};
    if (each > 0)
      share.items.push_back({k * each, (k + 1) * each - 1});
    if (k < remaining)
      share.items.push_back({each * count + k, each * count + k});
    if (!share.items.empty())
      shares.push_back(std::move(share));
  }
  return shares;
}

/// Returns AVG_ALLOCATION over the hosts from `first` on, followed by those before it.
std::vector<item_share> rotated_shares(const strategy_input& input, std::size_t first) {
  std::vector<const host*> hosts(input.hosts.begin(), input.hosts.end());
  std::rotate(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(first), hosts.end());
  return average_shares(hosts, input.total);
}

} // namespace

result<std::vector<item_share>> avg_allocation(const strategy_input& input) { return rotated_shares(input, 0); }

result<std::vector<item_share>> odevity(const strategy_input& input) {
  std::vector<const host*> hosts(input.hosts.begin(), input.hosts.end());
  if (is_even_hash(java_hash(input.job)))
    std::reverse(hosts.begin(), hosts.end());
  return average_shares(hosts, input.total);
}

result<std::vector<item_share>> round_robin(const strategy_input& input) {
  return rotated_shares(input, hash_offset(java_hash(input.job), input.hosts.size()));
}

result<std::vector<item_share>> single_sharding_balance(const strategy_input& input) {
  if (input.total > 1)
    return round_robin(input);
  if (input.after_last_runner)
    return rotated_shares(input, *input.after_last_runner);
  const auto now = static_cast<std::int32_t>(static_cast<std::uint64_t>(to_ms(input.now)) & 0xFFFF'FFFFU);
  return rotated_shares(input, hash_offset(add_hashes(java_hash(input.job), now), input.hosts.size()));
}

strategy_registry::strategy_registry()
    : strategies_{
          {std::string{default_strategy}, avg_allocation},
          {"ODEVITY", odevity},
          {"ROUND_ROBIN", round_robin},
          {"SINGLE_SHARDING_BALANCE", single_sharding_balance},
          {"STICKY", sticky},
      } {}

result<void> strategy_registry::add(std::string name, strategy added) {
  if (is_blank(name) || !fits(name, 64))
    return fail(errc::invalid_argument, "invalid name of a strategy \"" + std::string{cut_bytes(name, 80)} +
                                            "\": it has 1 to 64 characters");
  if (!added)
    return fail(errc::invalid_argument, "the strategy " + name + " has no function");
  if (strategies_.contains(name))
    return fail(errc::conflict, "a strategy " + name + " exists already");
  strategies_.emplace(std::move(name), std::move(added));
  return {};
}

const strategy* strategy_registry::find(std::string_view name) const {
  const auto found = strategies_.find(name.empty() ? default_strategy : name);
  return found == strategies_.end() ? nullptr : &found->second;
}

std::vector<std::string> strategy_registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : strategies_)
    names.push_back(name);
  return names;
}

} // namespace ringmaster::core::elastic
