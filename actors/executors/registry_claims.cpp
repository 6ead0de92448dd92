// registry_table: which app an address belongs to, and which tokens executors showed from it.

#include <algorithm>
#include <limits>
#include <utility>

#include "actors/executors/registry_table.hpp"
#include "protocol/address_key.hpp"

namespace ringmaster::actors {

namespace {

/// Rank of a claim whose row has not been read yet: after all rows.
constexpr auto order_unstored = std::uint64_t{1} << 40U;
constexpr auto order_none = std::numeric_limits<std::uint64_t>::max();

} // namespace

bool registry_table::has_room(const protocol::registry_beat& beat) const {
  if (beat.token == core::token_kind::common)
    return entries_.size() < registrations_max;
  const auto known = count_of_.find(beat.app_name);
  return entries_.size() < registrations_max / 4 * 3 && (known == count_of_.end() || known->second < group_registrations_max);
}

registry_table::entry_map::iterator registry_table::add(key&& which) {
  entry fresh;
  fresh.order = order_unstored + sequence_;
  fresh.place = protocol::address_key(std::get<2>(which));
  departed_.erase(which);
  const auto made = entries_.emplace(std::move(which), std::move(fresh)).first;
  ++count_of_[std::get<1>(made->first)];
  if (std::get<0>(made->first) == routed_group)
    claims_[made->second.place].push_back(made);
  view_stale_ = true;
  return made;
}

registry_table::entry_map::iterator registry_table::drop(entry_map::iterator which) {
  note_departure(which->first, which->second);
  if (const auto found = claims_.find(which->second.place); found != claims_.end()) {
    std::erase(found->second, entry_map::const_iterator{which});
    if (found->second.empty())
      claims_.erase(found);
  }
  if (const auto count = count_of_.find(std::get<1>(which->first)); --count->second == 0)
    count_of_.erase(count);
  view_stale_ = true;
  return entries_.erase(which);
}

// Groups and rows are read together: what was known before a group had a token was registered with the common token.
void registry_table::note_new_tokens(const std::vector<core::group>& groups) {
  if (groups_.empty())
    return;
  std::unordered_set<std::string> unguarded;
  for (const auto& group : groups_)
    if (!guarded_apps_.contains(group.app_name))
      unguarded.insert(group.app_name);
  for (const auto& group : groups) {
    if (group.access_token.empty() || !unguarded.contains(group.app_name))
      continue;
    for (auto at = entries_.lower_bound({std::string{routed_group}, group.app_name, {}});
         at != entries_.end() && std::get<1>(at->first) == group.app_name; ++at)
      if (!at->second.shown)
        at->second.shown = core::token_kind::common;
  }
}

void registry_table::index_groups() {
  guarded_apps_.clear();
  entered_places_.clear();
  for (const auto& group : groups_)
    if (!group.access_token.empty())
      guarded_apps_.insert(group.app_name);
  if (guarded_apps_.empty())
    return;
  for (const auto& group : groups_)
    if (group.type == core::address_type::manual)
      for (const auto& address : group.addresses)
        entered_places_[protocol::address_key(address)].push_back(group.app_name);
}

bool registry_table::is_weak(const key& which, const entry& known) const {
  return guarded_apps_.contains(std::get<1>(which)) && known.shown != core::token_kind::common;
}

std::optional<core::token_kind> registry_table::token_to_store(const key& which, const entry& known) const {
  const bool counts =
    !guarded_apps_.empty() && std::get<0>(which) == routed_group && guarded_apps_.contains(std::get<1>(which));
  return counts && known.shown != core::token_kind::group ? known.shown : std::nullopt;
}

// Removes the shown token together with the registration: an address that comes back has to show it again.
std::vector<core::registration> registry_table::tokens_to_write() {
  auto rows = std::exchange(left_tokens_, {});
  for (auto& row : rows)
    row.shown.reset();
  for (const auto& which : in_flight_.removed)
    if (guarded_apps_.contains(std::get<1>(which)))
      rows.push_back({std::get<0>(which), std::get<1>(which), std::get<2>(which), {}});
  for (const auto& [which, known] : entries_) {
    const auto wanted = token_to_store(which, known);
    if (wanted == known.stored_shown)
      continue;
    rows.push_back({std::get<0>(which), std::get<1>(which), std::get<2>(which), {}, wanted});
    in_flight_.tokens.emplace_back(which, wanted);
  }
  return rows;
}

std::string registry_table::rival_of(const std::string& app_name, const std::string& address) const {
  const auto known = entries_.find({std::string{routed_group}, app_name, address});
  return rival_of(app_name, protocol::address_key(address), known == entries_.end() ? order_none : known->second.order);
}

std::string registry_table::rival_of(const std::string& app_name, const std::string& place, std::uint64_t order) const {
  if (const auto entered = entered_places_.find(place); entered != entered_places_.end()) {
    const auto& apps = entered->second;
    return std::find(apps.begin(), apps.end(), app_name) == apps.end() ? apps.front() : std::string{};
  }
  const auto claims = claims_.find(place);
  if (claims == claims_.end())
    return {};
  for (const auto& claim : claims->second) {
    const auto& [which, known] = *claim;
    if (std::get<1>(which) != app_name && (!is_weak(which, known) || known.order < order))
      return std::get<1>(which);
  }
  return {};
}

bool registry_table::is_displaced(const key& which, const entry& known) const {
  return is_weak(which, known) && !rival_of(std::get<1>(which), known.place, known.order).empty();
}

void registry_table::show_tokens(protocol::registry_view& view) {
  std::map<key, std::string> displaced;
  for (const auto& [which, known] : entries_) {
    const auto& [registry_group, app_name, address] = which;
    if (known.app_header)
      view.with_app_header.emplace(app_name, address);
    if (registry_group != routed_group || !guarded_apps_.contains(app_name))
      continue;
    if (known.shown && known.shown != core::token_kind::group)
      view.tokens_shown.emplace(protocol::app_address{app_name, address}, *known.shown);
    if (!is_weak(which, known))
      continue;
    if (auto rival = rival_of(app_name, known.place, known.order); rival.empty()) {
      view.without_common_token.insert(known.place);
    } else {
      if (!displaced_.contains(which))
        displaced_updates_.emplace_back(protocol::app_address{app_name, address}, rival);
      displaced.emplace(which, std::move(rival));
    }
  }
  displaced_ = std::move(displaced);
}

} // namespace ringmaster::actors
