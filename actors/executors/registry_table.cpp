#include "actors/executors/registry_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringmaster::actors {

namespace {

bool same(const core::group& a, const core::group& b) {
  return a.id == b.id && a.app_name == b.app_name && a.title == b.title && a.type == b.type && a.addresses == b.addresses
         && a.access_token == b.access_token && a.previous_token == b.previous_token && a.previous_until == b.previous_until;
}

bool same(const protocol::registry_view& a, const protocol::registry_view& b) {
  if (a.with_app_header != b.with_app_header || a.tokens_shown != b.tokens_shown
      || a.without_common_token != b.without_common_token || a.registered != b.registered || a.groups.size() != b.groups.size())
    return false;
  return std::all_of(a.groups.begin(), a.groups.end(), [&b](const auto& item) {
    auto other = b.groups.find(item.first);
    return other != b.groups.end() && same(item.second, other->second);
  });
}

core::time_point newest_seen(const core::registry_state& stored) {
  core::time_point newest{};
  for (const auto& row : stored.registrations)
    newest = std::max(newest, row.seen);
  return newest;
}

core::time_point to_second(core::time_point t) { return std::chrono::floor<std::chrono::seconds>(t); }

/// Share of `dead_after` that counts of a pause in which no beat could be received.
constexpr int step_share = 3;

} // namespace

registry_table::registry_table(core::milliseconds dead_after, steady start)
  : dead_after_{dead_after}, listened_{dead_after / step_share, start} {}

bool registry_table::beat(const protocol::registry_beat& beat, moment now) {
  listened_.look(now.when);
  key which{beat.registry_group, beat.app_name, beat.address};
  auto found = entries_.find(which);
  if (found == entries_.end()) {
    if (!has_room(beat))
      return false;
    removed_.erase(which);
    auto dead = dead_.extract(which);
    found = add(std::move(which));
    if (dead)
      found->second.row_seen = dead.mapped().seen;
  }
  // Takes this node's time, not the newest of both: a clock that was put back would write the same time again and again, and the
  // executor would be taken for dead.
  found->second.seen = now.civil;
  found->second.heard = listened_.total();
  found->second.renewed = ++sequence_;
  note_incarnation(beat.address, core::time_point::max());
  if (std::exchange(found->second.app_header, beat.app_header) != beat.app_header)
    view_stale_ = true;
  found->second.link = beat.link;
  note_token(found->second, beat);
  return true;
}

void registry_table::note_token(entry& known, const protocol::registry_beat& beat) {
  if (std::exchange(known.shown, beat.token) != beat.token && guarded_apps_.contains(beat.app_name))
    view_stale_ = true;
}

void registry_table::remove(const protocol::registry_removal& removal) {
  key which{removal.registry_group, removal.app_name, removal.address};
  if (auto found = entries_.find(which); found != entries_.end())
    drop(found);
  // Also if it is unknown here: a row may exist that no read has shown yet.
  if (removed_.size() < registrations_max)
    removed_.insert(std::move(which));
}

void registry_table::watch(const std::string& address, core::time_point now) {
  if (watched_.size() < registrations_max)
    watched_.insert_or_assign(address, to_second(now));
}

void registry_table::note_incarnation(const std::string& address, core::time_point seen) {
  auto watched = watched_.find(address);
  if (watched == watched_.end() || seen <= watched->second)
    return;
  heard_.push_back(address);
  watched_.erase(watched);
}

void registry_table::sweep(steady now) {
  listened_.look(now);
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (alive(at->second)) {
      ++at;
      continue;
    }
    if (at->second.stored > 0)
      dead_.insert_or_assign(at->first, dead_row{at->second.row_seen});
    at = drop(at);
  }
  forget_departed();
}

bool registry_table::alive(const entry& which) const noexcept {
  return (which.renewed > 0 && listened_.total() - which.heard <= dead_after_)
         || (which.row_changed && read_->total() - *which.row_changed < dead_after_);
}

// -- store -----------------------------------------------------------------------------------------------------------------

void registry_table::take(const core::registry_state& stored, std::uint64_t mark, moment now) {
  std::optional<core::time_point> alive_from;
  if (!read_) {
    read_.emplace(dead_after_ / step_share, now.when);
    alive_from = to_second(std::min(newest_seen(stored), now.civil) - dead_after_);
  }
  read_->look(now.when);
  note_new_tokens(stored.groups);
  std::set<key> rows;
  std::map<key, dead_row> dead;
  for (std::size_t at = 0; at < stored.registrations.size(); ++at) {
    const auto& row = stored.registrations[at];
    rows.emplace(row.registry_group, row.app_name, row.address);
    take_row(row, {mark, at}, alive_from, dead);
  }
  dead_ = std::move(dead);
  drop_removed_by_peers(rows);
  groups_ = stored.groups;
  left_tokens_ = stored.left_tokens;
  index_groups();
  view_stale_ = true;
  sweep(now.when);
}

void registry_table::take_row(const core::registration& row, row_place at, std::optional<core::time_point> alive_from,
                              std::map<key, dead_row>& dead) {
  key which{row.registry_group, row.app_name, row.address};
  if (removed_.contains(which))
    return;
  auto seen = to_second(row.seen);
  auto found = entries_.find(which);
  auto known = dead_.find(which);
  auto changed = alive_from                ? seen >= *alive_from
                 : found != entries_.end() ? seen != found->second.row_seen
                                           : known == dead_.end() || seen != known->second.seen;
  if (found == entries_.end()) {
    if (!changed) {
      dead.emplace(std::move(which), known == dead_.end() ? dead_row{seen} : known->second);
      return;
    }
    if (entries_.size() >= registrations_max)
      return;
    found = add(std::move(which));
  }
  found->second.row_seen = seen;
  found->second.order = at.row;
  take_shown(found->second, row.shown);
  if (changed) {
    found->second.row_changed = read_->total();
    note_incarnation(row.address, seen);
  }
  found->second.stored = std::max(found->second.stored, at.mark);
}

// A token that this node received itself counts as long as it receives the executor's beats.
void registry_table::take_shown(entry& known, std::optional<core::token_kind> stored) {
  const bool is_heard = known.renewed > 0 && listened_.total() - known.heard <= dead_after_;
  if (!is_heard && stored != known.stored_shown)
    known.shown = stored;
  known.stored_shown = stored;
}

void registry_table::drop_removed_by_peers(const std::set<key>& stored) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto& [which, known] = *at;
    at = known.stored > 0 && known.renewed <= known.stored && !stored.contains(which) ? drop(at) : std::next(at);
  }
}

bool registry_table::has_update() const {
  if (!read_)
    return false;
  auto is_new = [this](const auto& item) {
    const auto& [which, known] = item;
    return known.stored == 0 || token_to_store(which, known) != known.stored_shown;
  };
  return !removed_.empty() || std::any_of(entries_.begin(), entries_.end(), is_new) || !changed_groups().empty();
}

bool registry_table::has_changes() const {
  auto is_renewed = [](const auto& item) { return item.second.renewed > item.second.flushed; };
  auto is_left = [](const auto& item) { return !item.second.deleted; };
  return read_
         && ((may_delete_dead() && std::any_of(dead_.begin(), dead_.end(), is_left)) || has_update()
             || std::any_of(entries_.begin(), entries_.end(), is_renewed));
}

core::registry_batch registry_table::begin_write(bool renewals) {
  core::registry_batch batch;
  for (const auto& [which, known] : entries_) {
    if (known.renewed <= known.flushed || (known.stored > 0 && !renewals))
      continue;
    batch.renewed.push_back({std::get<0>(which), std::get<1>(which), std::get<2>(which), known.seen});
    in_flight_.renewed.emplace_back(which, known);
  }
  for (const auto& which : removed_)
    batch.removed.push_back({std::get<0>(which), std::get<1>(which), std::get<2>(which), {}});
  in_flight_.removed = std::exchange(removed_, {});
  batch.changed_groups = changed_groups();
  in_flight_.groups = batch.changed_groups;
  batch.tokens = tokens_to_write();
  if (renewals && may_delete_dead())
    batch.dead = dead_to_delete();
  return batch;
}

std::vector<core::registration> registry_table::dead_to_delete() {
  std::vector<core::registration> rows;
  for (const auto& [which, known] : dead_) {
    if (known.deleted)
      continue;
    if (rows.size() == deletions_max)
      break;
    rows.push_back({std::get<0>(which), std::get<1>(which), std::get<2>(which), known.seen});
    in_flight_.dead.push_back(which);
  }
  return rows;
}

void registry_table::written() {
  auto done = std::exchange(in_flight_, {});
  for (const auto& [which, then] : done.renewed) {
    auto found = entries_.find(which);
    if (found == entries_.end()) { // died or left meanwhile: the row is not a heartbeat
      dead_.insert_or_assign(which, dead_row{to_second(then.seen)});
      continue;
    }
    found->second.row_seen = to_second(then.seen);
    found->second.flushed = std::max(found->second.flushed, then.renewed);
    found->second.stored = std::max(found->second.stored, then.renewed);
  }
  for (const auto& [which, shown] : done.tokens)
    if (auto found = entries_.find(which); found != entries_.end())
      found->second.stored_shown = shown;
  for (const auto& which : done.dead)
    if (auto found = dead_.find(which); found != dead_.end())
      found->second.deleted = true;
  for (const auto& list : done.groups)
    for (auto& group : groups_)
      if (group.id == list.id)
        group.addresses = list.addresses;
}

void registry_table::write_failed() {
  auto lost = std::exchange(in_flight_, {});
  for (const auto& which : lost.removed)
    if (!entries_.contains(which))
      removed_.insert(which);
}

// -- the view --------------------------------------------------------------------------------------------------------------

std::vector<core::group> registry_table::groups_now() const {
  std::map<std::string, std::vector<std::string>> live;
  for (const auto& [which, known] : entries_)
    if (std::get<0>(which) == routed_group && !is_displaced(which, known))
      live[std::get<1>(which)].push_back(std::get<2>(which)); // the map is ordered by text
  auto groups = groups_;
  for (auto& group : groups) {
    if (group.type != core::address_type::automatic)
      continue;
    auto found = live.find(group.app_name);
    group.addresses = found == live.end() ? std::vector<std::string>{} : found->second;
  }
  return groups;
}

std::vector<core::group> registry_table::changed_groups() const {
  auto groups = groups_now();
  std::vector<core::group> changed;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    // The list of an automatic group is cut to the size of its column; the whole list stays in the registrations.
    if (groups[i].type == core::address_type::automatic)
      groups[i].addresses.resize(core::addresses_that_fit(groups[i].addresses));
    if (groups[i].addresses != groups_[i].addresses)
      changed.push_back(std::move(groups[i]));
  }
  return changed;
}

std::shared_ptr<const protocol::registry_view> registry_table::changed_view() {
  if (!read_ || !std::exchange(view_stale_, false))
    return nullptr;
  auto view = std::make_shared<protocol::registry_view>();
  show_tokens(*view);
  for (const auto& [which, unused] : entries_)
    view->registered.insert(std::get<2>(which));
  for (auto& group : groups_now())
    view->groups.emplace(core::number(group.id), std::move(group));
  if (view_ && same(*view_, *view))
    return nullptr;
  view_ = view;
  return view;
}

} // namespace ringmaster::actors
