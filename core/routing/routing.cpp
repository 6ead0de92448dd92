#include "core/routing/routing.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/routing/consistent_ring.hpp"

namespace ringmaster::core {

namespace {

/// XXL restarts a counter above this.
constexpr std::int32_t count_max = 1'000'000;
/// XXL's round-robin starts at a random number below this.
constexpr std::uint64_t round_start_end = 100;
constexpr std::chrono::hours memory{24};

/// An address as a number, so that each job stores four bytes instead of a text.
using address_id = std::uint32_t;

} // namespace

struct route_history::state {
  struct address_use {
    address_id address;
    std::int32_t count;
  };

  explicit state(std::uint64_t seed) : random(seed) {}

  /// Returns the smallest count; among equal ones the first that was seen.
  static std::vector<address_use>::iterator least_used(std::vector<address_use>& uses) {
    return std::min_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  }

  std::mt19937_64 random;
  /// Unset until the first routing.
  std::optional<time_point> emptied;
  std::unordered_map<std::string, address_id> numbers;
  std::unordered_map<job_id, std::int32_t> rounds;
  std::unordered_map<job_id, std::vector<address_use>> used;
  /// The address at the front is the least recently used.
  std::unordered_map<job_id, std::vector<address_id>> recent;
  /// Choices that were not used.
  struct unused_choices {
    route_strategy route = route_strategy::first;
    std::deque<std::string> addresses;
  };
  std::unordered_map<job_id, unused_choices> unused;
  consistent_ring_cache rings;

  /// Returns a uniform number in [0, end).
  std::uint64_t below(std::uint64_t end) { return std::uniform_int_distribution<std::uint64_t>{0, end - 1}(random); }

  void forget_when_old(time_point now) {
    if (emptied && now - *emptied <= memory)
      return;
    emptied = now;
    numbers.clear();
    rounds.clear();
    used.clear();
    recent.clear();
    unused.clear();
  }

  address_id number_of(const std::string& address) {
    return numbers.try_emplace(address, static_cast<address_id>(numbers.size())).first->second;
  }

  std::vector<address_id> numbers_of(std::span<const std::string> live) {
    std::vector<address_id> ids;
    ids.reserve(live.size());
    for (const auto& address : live)
      ids.push_back(number_of(address));
    return ids;
  }

  std::size_t round(job_id job, std::size_t size) {
    const auto [counter, is_new] = rounds.try_emplace(job, 0);
    if (is_new || counter->second > count_max)
      counter->second = static_cast<std::int32_t>(below(round_start_end));
    else
      ++counter->second;
    return static_cast<std::size_t>(counter->second) % size;
  }

  std::size_t least_frequently_used(job_id job, const std::vector<address_id>& live);
  std::size_t least_recently_used(job_id job, const std::vector<address_id>& live);
  std::size_t choose(const job& which, std::span<const std::string> live);
  std::optional<std::string> take_unused(const job& which, std::span<const std::string> live);
};

namespace {

bool contains(const std::vector<address_id>& ids, address_id wanted) {
  return std::find(ids.begin(), ids.end(), wanted) != ids.end();
}

std::size_t index_of(const std::vector<address_id>& ids, address_id wanted) {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), wanted) - ids.begin());
}

} // namespace

std::size_t route_history::state::least_frequently_used(job_id job, const std::vector<address_id>& live) {
  auto& uses = used[job];
  std::erase_if(uses, [&](const address_use& use) { return !contains(live, use.address); });
  const auto fresh_count = [&] { return static_cast<std::int32_t>(below(live.size())); };
  for (auto address : live) {
    const auto known = std::find_if(uses.begin(), uses.end(), [&](const address_use& use) { return use.address == address; });
    if (known == uses.end())
      uses.push_back({address, fresh_count()});
    else if (known->count > count_max)
      known->count = fresh_count();
  }
  const auto chosen = least_used(uses);
  ++chosen->count;
  return index_of(live, chosen->address);
}

std::size_t route_history::state::least_recently_used(job_id job, const std::vector<address_id>& live) {
  auto& order = recent[job];
  std::erase_if(order, [&](address_id address) { return !contains(live, address); });
  for (auto address : live)
    if (!contains(order, address))
      order.push_back(address);
  std::rotate(order.begin(), order.begin() + 1, order.end());
  return index_of(live, order.back());
}

std::size_t route_history::state::choose(const job& which, std::span<const std::string> live) {
  switch (which.route) {
  case route_strategy::last: return live.size() - 1;
  case route_strategy::round: return round(which.id, live.size());
  case route_strategy::random: return below(live.size());
  case route_strategy::consistent_hash: return rings.choose(which.id, live);
  case route_strategy::least_frequently_used: return least_frequently_used(which.id, numbers_of(live));
  case route_strategy::least_recently_used: return least_recently_used(which.id, numbers_of(live));
  default: return 0;
  }
}

std::optional<std::string> route_history::state::take_unused(const job& which, std::span<const std::string> live) {
  auto found = unused.find(which.id);
  if (found == unused.end())
    return std::nullopt;
  auto& kept = found->second;
  std::optional<std::string> chosen;
  while (!chosen && kept.route == which.route && !kept.addresses.empty()) {
    if (std::find(live.begin(), live.end(), kept.addresses.front()) != live.end())
      chosen = std::move(kept.addresses.front());
    kept.addresses.pop_front();
  }
  if (!chosen || kept.addresses.empty())
    unused.erase(found);
  return chosen;
}

route_history::route_history(std::uint64_t random_seed) : state_(std::make_unique<state>(random_seed)) {}
route_history::~route_history() = default;
route_history::route_history(route_history&&) noexcept = default;
route_history& route_history::operator=(route_history&&) noexcept = default;

route_decision route_history::route(const job& which, std::span<const std::string> live, time_point now) {
  state_->forget_when_old(now);
  if (live.empty())
    return no_executor{};
  switch (which.route) {
  case route_strategy::unknown: return no_executor{};
  case route_strategy::sharding_broadcast: return send_to_all{{live.begin(), live.end()}};
  case route_strategy::failover: return probe_in_order{{live.begin(), live.end()}, probe_kind::beat};
  case route_strategy::busyover: return probe_in_order{{live.begin(), live.end()}, probe_kind::idle_beat};
  default: break;
  }
  if (auto unused = state_->take_unused(which, live))
    return send_to{std::move(*unused)};
  return send_to{live[state_->choose(which, live)]};
}

void route_history::put_back(const job& which, std::span<const std::string> choices) {
  if (choices.empty())
    return;
  auto& kept = state_->unused[which.id];
  if (kept.route != which.route)
    kept.addresses.clear();
  kept.route = which.route;
  kept.addresses.insert(kept.addresses.begin(), choices.begin(), choices.end());
}

} // namespace ringmaster::core
