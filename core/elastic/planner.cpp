#include "core/elastic/planner.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/elastic/static_sharding.hpp"
#include "core/ids.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

using share_list = std::vector<item_share>;

tl::unexpected<error> fail_strategy(const plan_request& request, error failure) {
  failure.context = "strategy " + std::string{request.strategy} + " of job " + std::string{request.job} + ": " + failure.context;
  return tl::unexpected{std::move(failure)};
}

/// Returns the index of the candidate that follows the last runner.
std::optional<std::size_t> after_last_runner(const host_list& hosts, const candidates& found, const plan_request& request) {
  const auto last = hosts.position_of(request.order, request.last_runner);
  if (!last || found.hosts.empty())
    return std::nullopt;
  const auto next = std::upper_bound(found.positions.begin(), found.positions.end(), *last);
  return static_cast<std::size_t>(next - found.positions.begin()) % found.hosts.size();
}

/// A strategy knows only its candidates, and no homes.
result<void> check_owners(const share_list& shares, const candidates& found) {
  std::unordered_set<std::int32_t> known;
  for (const auto* each : found.hosts)
    known.insert(number(each->number));
  for (const auto& [owner, items] : shares) {
    if (owner.is_assigned() && !known.contains(number(owner.host)))
      return fail(errc::invalid_argument, "host " + std::to_string(number(owner.host)) + " is not one of the given hosts");
    if (owner.home != no_host)
      return fail(errc::invalid_argument, "a share has a home, which only static sharding sets");
  }
  return {};
}

/// Calls the strategy and checks its result.
result<share_list> call_strategy(const strategy& called, const candidates& found, const strategy_input& input) {
  try {
    auto shares = called(input);
    if (shares)
      if (auto checked = check_owners(*shares, found); !checked)
        return tl::unexpected{std::move(checked.error())};
    return shares;
  } catch (const std::exception& thrown) {
    return fail(errc::internal, std::string{"threw an exception: "} + thrown.what());
  } catch (...) {
    return fail(errc::internal, "threw an exception");
  }
}

} // namespace

result<item_plan> make_plan(const strategy_registry& strategies, const host_list& hosts, const plan_request& request) {
  if (auto checked = check_total(request.total); !checked)
    return tl::unexpected{std::move(checked.error())};
  const auto* chosen = strategies.find(request.strategy);
  if (chosen == nullptr)
    return fail(errc::not_found, "unknown strategy \"" + std::string{cut_bytes(request.strategy, 80)} + "\" of job " +
                                     std::string{request.job});
  const auto found = find_candidates(hosts, request.order, request.needs);
  const strategy_input input{found.hosts,
                             request.job,
                             request.total,
                             request.previous,
                             after_last_runner(hosts, found, request),
                             request.now};
  if (request.is_static && has_homes(request.previous, request.total))
    return item_plan::make(request.total, static_shares(input, found.reason, request.fallback));
  if (found.hosts.empty())
    return item_plan::make(request.total, {{{no_host, found.reason}, {{0, request.total - 1}}}});
  const auto shares = call_strategy(*chosen, found, input);
  if (!shares)
    return fail_strategy(request, shares.error());
  auto made = item_plan::make(request.total, *shares);
  if (!made)
    return fail_strategy(request, std::move(made.error()));
  return made;
}

} // namespace ringmaster::core::elastic
