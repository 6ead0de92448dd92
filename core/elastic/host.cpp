#include "core/elastic/host.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <functional>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/ids.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Parses `a.b.c.d`; unset for all other texts.
std::optional<std::uint32_t> parse_ip4(std::string_view text) noexcept {
  std::uint32_t ip = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !text.starts_with('.'))
      return std::nullopt;
    text.remove_prefix(part > 0 ? 1 : 0);
    std::uint8_t byte = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), byte);
    if (failure != std::errc{})
      return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    ip = (ip << 8U) | byte;
  }
  return text.empty() ? std::optional{ip} : std::nullopt;
}

/// Position of a host in the order `asc-natural`.
struct natural_key {
  bool is_text = false;
  std::uint32_t ip = 0;
  std::string text;
  time_point started;
  std::int64_t pid = 0;

  friend auto operator<=>(const natural_key&, const natural_key&) = default;
};

natural_key natural_key_of(const host& which) {
  const auto ip = parse_ip4(which.ip);
  return {!ip, ip.value_or(0), ip ? std::string{} : which.ip, which.started, which.pid};
}

/// Returns the indexes of the hosts, ordered by key. Equal keys keep the order of the hosts.
template <class Key, class Before>
std::vector<std::uint32_t> sorted_indexes(const std::vector<host>& hosts, Key key_of, Before before) {
  std::vector<decltype(key_of(hosts.front()))> keys;
  keys.reserve(hosts.size());
  for (const auto& each : hosts)
    keys.push_back(key_of(each));
  std::vector<std::uint32_t> indexes(hosts.size());
  std::iota(indexes.begin(), indexes.end(), 0U);
  std::stable_sort(indexes.begin(), indexes.end(), [&](auto left, auto right) { return before(keys[left], keys[right]); });
  return indexes;
}

/// Checks hosts that are sorted by number.
result<void> check_hosts(const std::vector<host>& hosts) {
  if (hosts.size() > hosts_max)
    return fail(errc::too_large, std::to_string(hosts.size()) + " hosts; at most " + std::to_string(hosts_max));
  std::unordered_set<std::string_view> ids;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto number = std::to_string(core::number(hosts[i].number));
    if (core::number(hosts[i].number) < 1)
      return fail(errc::invalid_argument, "invalid host number " + number + ": numbers start at 1");
    if (i > 0 && hosts[i - 1].number == hosts[i].number)
      return fail(errc::invalid_argument, "two hosts have the number " + number);
    if (hosts[i].id.empty())
      return fail(errc::invalid_argument, "host " + number + " has an empty id");
    if (!ids.insert(hosts[i].id).second)
      return fail(errc::invalid_argument, "two hosts have the id \"" + hosts[i].id + '"');
  }
  return {};
}

} // namespace

std::string instance_name(const host& which) { return which.ip + "@-@" + std::to_string(which.pid); }

std::string_view to_string(host_order order) noexcept {
  return order == host_order::desc_string ? "desc-string" : "asc-natural";
}

std::optional<host_order> parse_host_order(std::string_view name) noexcept {
  for (const auto order : {host_order::desc_string, host_order::asc_natural})
    if (to_string(order) == name)
      return order;
  return std::nullopt;
}

result<host_list> host_list::make(std::vector<host> hosts) {
  std::stable_sort(hosts.begin(), hosts.end(), [](const host& left, const host& right) { return left.number < right.number; });
  if (auto checked = check_hosts(hosts); !checked)
    return tl::unexpected{std::move(checked.error())};
  host_list made;
  made.hosts_ = std::move(hosts);
  made.descending_ = sorted_indexes(made.hosts_, instance_name, std::greater<>{});
  made.natural_ = sorted_indexes(made.hosts_, natural_key_of, std::less<>{});
  return made;
}

const host* host_list::find(host_number number) const noexcept {
  const auto found = std::lower_bound(hosts_.begin(), hosts_.end(), number,
                                      [](const host& each, host_number wanted) { return each.number < wanted; });
  return found != hosts_.end() && found->number == number ? &*found : nullptr;
}

std::optional<std::size_t> host_list::position_of(host_order order, host_number number) const noexcept {
  const auto& all = positions(order);
  for (std::size_t position = 0; position < all.size(); ++position)
    if (hosts_[all[position]].number == number)
      return position;
  return std::nullopt;
}

} // namespace ringmaster::core::elastic
