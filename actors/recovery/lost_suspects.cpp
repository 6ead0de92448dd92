// lost_monitor: executors that may have died. They are asked whether they are alive, and if so, about their runs.

#include <algorithm>
#include <set>
#include <utility>

#include "actors/recovery/lost_monitor.hpp"
#include "actors/recovery/lost_queries.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds knock_first{500};
constexpr milliseconds knock_wait_min{1'000};
constexpr milliseconds knock_wait_max{15'000};
/// After this time its runs are old and found by the walk.
constexpr auto suspect_for = core::lost_age_min + std::chrono::minutes{2};
/// Maximum of executors in one search for runs.
constexpr std::size_t addresses_per_search = 64;
/// Older runs are found by the walk.
constexpr auto search_back = core::lost_age_min + std::chrono::minutes{1};
/// Time after which a silent executor with open runs is named. An executor that stops in order has reported its runs by then.
constexpr int pages_named_from = 20;
constexpr milliseconds named_after{15'000};

core::result<core::log_range> recent(storage::store& store, core::time_point from) {
  auto first = store.maintenance().last_before(from);
  if (!first)
    return tl::unexpected<core::error>{std::move(first.error())};
  auto span = store.maintenance().span();
  if (!span)
    return tl::unexpected<core::error>{std::move(span.error())};
  return core::log_range{*first, span->last};
}

/// Returns the addresses of open runs, as far as a few pages show.
core::result<std::set<std::string>> addresses_of_open(storage::store& store, core::open_search wanted, core::time_point from) {
  auto range = recent(store, from);
  if (!range)
    return tl::unexpected<core::error>{std::move(range.error())};
  wanted.range = *range;
  std::set<std::string> found;
  for (int page = 0; page < pages_named_from && wanted.range.after < wanted.range.through; ++page) {
    auto runs = store.maintenance().open_runs(wanted);
    if (!runs)
      return tl::unexpected<core::error>{std::move(runs.error())};
    for (auto& run : runs->runs)
      found.insert(std::move(run.address));
    wanted.range.after = runs->through;
  }
  return found;
}

} // namespace

// An executor that was restarted quickly leaves the list and comes back, or never leaves it; in both cases its memory is lost.
void lost_monitor_state::know(std::shared_ptr<const protocol::registry_view> view) {
  view_ = std::move(view);
  std::unordered_set<std::string> listed;
  for (const auto& [id, group] : view_->groups)
    for (const auto& address : group.addresses) {
      listed.insert(address);
      if (group.type == core::address_type::automatic && once_registered_.size() < 10 * suspects_max)
        once_registered_.insert(address);
    }
  for (const auto& address : listed_)
    if (!listed.contains(address))
      suspect_it(address);
  for (const auto& address : listed)
    if (suspects_.contains(address))
      suspect_it(address);
  listed_ = std::move(listed);
}

void lost_monitor_state::hear(const protocol::executor_update& update) {
  silent_until_.erase(update.address);
  suspect_it(update.address);
}

void lost_monitor_state::suspect_it(const std::string& address) {
  if (!duty_ || address.empty())
    return;
  if (suspects_.size() >= suspects_max && !suspects_.contains(address))
    return;
  const auto [at, added] = suspects_.try_emplace(address);
  auto& one = at->second;
  one.since = steady_now();
  if (added)
    one.first = one.since;
  one.wait = milliseconds{0};
  if (!one.knocking)
    one.next_knock = steady_now() + knock_first;
}

void lost_monitor_state::knock() {
  std::erase_if(suspects_,
                [t = steady_now()](const auto& one) { return !one.second.knocking && t - one.second.since > suspect_for; });
  for (auto& [address, one] : suspects_) {
    if (knocking_ >= handshakes_max)
      return;
    if (one.knocking || one.next_knock > steady_now())
      continue;
    one.knocking = true;
    ++knocking_;
    auto answer = [this, address = address, epoch = epoch_](bool answered) {
      if (epoch == epoch_)
        knocked(address, answered);
    };
    protocol::request(self_, partners_.pool, patience(), protocol::link_query{address})
      .then(
        [this, answer](const protocol::link_handle& found) {
          protocol::request(self_, found.link, patience(), protocol::probe_request{})
            .then([answer](const protocol::probe_reply& reply) { answer(reply.code != 0); },
                  [answer](const caf::error&) { answer(false); });
        },
        [answer](const caf::error&) { answer(false); });
  }
}

void lost_monitor_state::knocked(const std::string& address, bool answered) {
  --knocking_;
  auto found = suspects_.find(address);
  if (found == suspects_.end())
    return;
  auto& one = found->second;
  one.knocking = false;
  if (!answered) {
    one.wait = std::clamp(one.wait * 2, knock_wait_min, knock_wait_max);
    one.next_knock = steady_now() + one.wait;
    return;
  }
  suspects_.erase(found);
  returned_.insert(address);
  silent_until_.erase(address);
  runs_.wake(address, steady_now());
  next_walk_ = std::min(next_walk_, steady_now());
  go_on();
}

// Most executors that leave have announced it and have no open run: they need no log line.
void lost_monitor_state::name_silent() {
  core::open_search wanted;
  for (auto& [address, one] : suspects_)
    if (!naming_ && !one.named && steady_now() - one.first >= named_after && wanted.addresses.size() < addresses_per_search) {
      one.named = true;
      wanted.addresses.push_back(address);
    }
  if (wanted.addresses.empty())
    return;
  naming_ = true;
  query<std::set<std::string>>(
    [wanted = std::move(wanted), from = now() - search_back](storage::store& store) mutable {
      return addresses_of_open(store, std::move(wanted), from);
    },
    [this](const core::result<std::set<std::string>>& found) {
      naming_ = false;
      if (found)
        for (const auto& address : *found)
          log_->info("{} may have died: it does not answer, and runs that it accepted have no result yet", address);
    });
}

void lost_monitor_state::begin_search() {
  if (search_ || searching_ || returned_.empty())
    return;
  core::open_search wanted;
  while (!returned_.empty() && wanted.addresses.size() < addresses_per_search)
    wanted.addresses.push_back(std::move(returned_.extract(returned_.begin()).value()));
  searching_ = true;
  query<core::log_range>(
    [from = now() - search_back](storage::store& store) { return recent(store, from); },
    [this, wanted = std::move(wanted)](const core::result<core::log_range>& range) mutable {
      searching_ = false;
      if (!range) {
        for (const auto& address : wanted.addresses)
          suspect_it(address);
        return;
      }
      wanted.range = *range;
      search_ = std::move(wanted);
      go_on();
    });
}

// A search waits while no more runs fit, so that the open runs of one executor are examined in limited parts.
void lost_monitor_state::search_on() {
  if (!search_ || searching_ || runs_.full())
    return;
  if (search_->range.after >= search_->range.through) {
    search_.reset();
    return begin_search();
  }
  searching_ = true;
  query<found_runs>([wanted = *search_](storage::store& store) { return search(store, wanted); },
                    [this](core::result<found_runs>&& found) {
                      searching_ = false;
                      if (!found) {
                        // A range-for keeps the vector of a temporary optional alive no longer than the loop's head.
                        const auto failed = std::exchange(search_, std::nullopt);
                        for (const auto& address : failed->addresses)
                          suspect_it(address);
                        return;
                      }
                      search_->range.after = found->page.through;
                      take(std::move(*found));
                      go_on();
                    });
}

} // namespace ringmaster::actors
